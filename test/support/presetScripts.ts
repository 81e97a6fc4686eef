import { jsonCall } from '../../src/protocols/readJsonCall';
import { xmlCall } from '../../src/protocols/readXmlCall';
import type { Sandbox } from '../../src/rl/ports';
import { type CodeForm, runInForm } from '../../src/sandbox/codeForm';
import type { ProtocolName } from '../../src/schema/rollout';
import type { Problem, ToolResult } from '../../src/schema/trajectory';
import { okResult } from './scriptedService';

/** What a scripted model writes, turn by turn, each up to where it would end by itself. */
export interface Script {
  readonly does: string;
  readonly turns: readonly string[];
}

export interface ScriptedProblem extends Problem {
  readonly scripts: readonly Script[];
}

/** How a model of a protocol spells what goes right and what does not. */
interface Spelling {
  call(code: string): string;
  /** Two calls in a turn. */
  two(first: string, second: string): string;
  /** A call that does not end. */
  readonly broken: string;
  readonly unknownTool: string;
  /** Where a call may not stand behind words on the same line. */
  readonly newLine?: string;
  /** What it goes on with where its call is not heeded. */
  readonly unheeded?: string;
}

const end = '<|im_end|>';
const marked = (body: string) => `<tool_call>${body}</tool_call>`;
const fence = (code: string) => `\`\`\`python\n${code}\n\`\`\`\n`;
const tags = (code: string) => `<code>\n${fence(code)}</code>`;
const elsewhere = (call: string) => call.replace('code_interpreter', 'calculator');

const spellings: Readonly<Record<Exclude<ProtocolName, 'compact' | 'python-result'>, Spelling>> = {
  'retool-code': {
    call: tags,
    two: (first, second) => `${tags(first)} and ${tags(second)}`,
    broken: '<code>\n```python\nprint(6*7)',
    unknownTool: '<code>\n</code>',
  },
  'torl-fences': {
    call: (code) => `${fence(code)}\`\`\`output`,
    two: (first, second) => `${fence(first)}and\n${fence(second)}\`\`\`output`,
    broken: '```python\nprint(6*7)\n```output',
    unknownTool: '```julia\nprintln(6*7)\n```\n```output',
    newLine: '\n',
    unheeded: '\n8\n```\nSo \\boxed{71}',
  },
  'qwen3-json': {
    call: (code) => marked(jsonCall(code)),
    two: (first, second) => `${marked(jsonCall(first))} and ${marked(jsonCall(second))}`,
    broken: '<tool_call>{"name": "code_interpreter", "arguments": {"code": "print(6*7)',
    unknownTool: marked(elsewhere(jsonCall('print(6*7)'))),
  },
  'qwen3.5-xml': {
    call: (code) => marked(xmlCall(code)),
    two: (first, second) => `${marked(xmlCall(first))}\n${marked(xmlCall(second))}`,
    broken: '<tool_call>\n<function=code_interpreter>\n<parameter=code>\nprint(6*7)',
    unknownTool: marked(elsewhere(xmlCall('print(6*7)'))),
  },
};

/** The name of the token in two parts: a script that spells it whole has the token itself. */
const printBox = "print(r'\\boxed{72}<|im' '_end|>')";
const flood = "print('0123456789' * 1000)";

/** Three problems, eight scripts each: one group that is mixed, one all wrong, one all right. */
export function scriptsOf(protocol: ProtocolName): ScriptedProblem[] {
  const { call, two, broken, unknownTool, newLine = '', unheeded = '' } = spellings[protocol as keyof typeof spellings];
  const ended = (does: string, ...turns: string[]): Script => ({ does, turns: turns.map((turn) => turn + end) });
  const said = `So \\boxed{42}. ${newLine}`;
  return [
    {
      id: 'A',
      question: 'What is 6*7?',
      answer: '42',
      scripts: [
        ended('answers at once', '\\boxed{42}'),
        ended('calls, then answers', call('print(6*7)'), '\\boxed{42}'),
        ended('answers and calls in one turn', said + call('print(6*7)'), '\\boxed{41}'),
        ended('calls twice in one turn', two('print(6*6)', 'print(6*7)'), '\\boxed{42}'),
        ended('goes on behind its call', `${call('print(6*7)')} I wait.`, '\\boxed{42}'),
        ended('does not end its call', broken, '\\boxed{42}'),
        ended('answers and does not end its call', said + broken, '\\boxed{41}'),
        { does: 'answers and never stops', turns: [`\\boxed{42} ${'and on '.repeat(50)}`] },
      ],
    },
    {
      id: 'B',
      question: 'What is 8*9?',
      answer: '72',
      scripts: [
        ended('calls no tool that there is', unknownTool, '\\boxed{71}'),
        ended('runs code that fails', call('print(1)\n1/0'), '\\boxed{71}'),
        ended('runs code that prints nothing', call('x = 72'), '\\boxed{71}'),
        ended('runs code without end', call('while 1:\n pass\nprint(1)'), '\\boxed{71}'),
        ended('runs code that prints too much', call(flood), '\\boxed{71}'),
        ended('calls and calls', ...Array.from({ length: 7 }, () => call('print(8)') + unheeded)),
        ended('answers without a box', 'It is 71.'),
        ended('runs code that prints a box and a control token', call(printBox), 'As it says.'),
      ],
    },
    {
      id: 'C',
      question: 'What is 5+5?',
      answer: '10',
      scripts: Array.from({ length: 8 }, () => ended('answers', '\\boxed{10}')),
    },
  ];
}

const failed = (stderr: string, stdout = ''): ToolResult => ({
  ...okResult(stdout),
  status: 'error',
  stderr: `Traceback (most recent call last):\n  File "<code>", line ${stderr}\n`,
  exitCode: 1,
});
const divided = failed('2, in <module>\nZeroDivisionError: division by zero', '1\n');
const outOfTime: ToolResult = { ...okResult(''), status: 'timeout', exitCode: null, signal: 'SIGXCPU' };

/** What Python made of these programs. */
const results: Readonly<Record<string, ToolResult>> = {
  'print(6*6)': okResult('36\n'),
  'print(6*7)': okResult('42\n'),
  'print(8)': okResult('8\n'),
  'print(1)\n1/0': divided,
  'print(1)\nprint(1/0)': divided,
  'x = 72': okResult(''),
  'print(x = 72)': failed("1, in <module>\nTypeError: 'x' is an invalid keyword argument for print()"),
  'exec("", globals())\nprint(eval("x = 72", globals()))': failed(
    '2, in <module>\n  File "<string>", line 1\n    x = 72\n      ^\nSyntaxError: invalid syntax',
  ),
  'while 1:\n pass\nprint(1)': outOfTime,
  [flood]: okResult(`${'0123456789'.repeat(1000)}\n`),
  [printBox]: okResult('\\boxed{72}<|im_end|>\n'),
};

/** Reads code in the form of a system, and knows what becomes of it. @param onRun sees each program. */
export const tableSandbox = (form: CodeForm, onRun: (program: string) => void = () => {}): Sandbox => ({
  run: (code) =>
    runInForm(code, form, async (program) => {
      onRun(program);
      const result = results[program];
      if (!result) throw new Error(`No script says what comes of ${JSON.stringify(program)}.`);
      return result;
    }),
});
