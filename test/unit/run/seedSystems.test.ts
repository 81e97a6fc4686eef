import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolOf } from '../../../src/protocols/protocols';
import { usualForm } from '../../../src/sandbox/codeForm';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { seedSystems } from '../../support/seedSystems';

type Name = keyof typeof seedSystems;
const names = Object.keys(seedSystems) as Name[];
const limits = { wallSeconds: 20, cpuSeconds: 1, outputBytes: 65_536, concurrency: 2 };
const traceback =
  'Traceback (most recent call last):\n  File "<code>", line 2, in <module>\nZeroDivisionError: division by zero\n';
const silence = "timeout_decorator.timeout_decorator.TimeoutError: 'Timed Out'";
const flood = 'print("0123456789" * 500_000 + "end")';
const tail = (count: number) => `${'0123456789'.repeat(500)}end\n`.slice(-count);
const syntax = expect.stringMatching(/^SyntaxError: /);

const cases: [string, string, Record<Name, unknown>][] = [
  ['a print', 'print(6 * 7)', { retool: '42', pytrio: '42\n', verl: '42\n', torl: '42', slime: 'Output:\n42' }],
  ['a last value', '6 * 7', { retool: '42', pytrio: '', verl: '42\n', torl: silence, slime: '' }],
  [
    'an assignment',
    'x = 5',
    {
      retool: syntax,
      pytrio: '',
      verl: expect.stringMatching(/^Traceback .*\n.*\nTypeError: .* keyword argument .*\n$/s),
      torl: silence,
      slime: '',
    },
  ],
  [
    'a failure after a print',
    'print("before")\nprint(1 / 0)',
    {
      retool: 'ZeroDivisionError: division by zero',
      pytrio: traceback,
      verl: `before\n${traceback}`,
      torl: 'before',
      slime: `Error: division by zero\nTraceback:\n${traceback.trim()}`,
    },
  ],
  [
    'a loop without an end',
    'print("before")\nwhile True: pass\nprint()',
    {
      retool: 'Timeout Error',
      pytrio: 'Error: execution timed out after 30 seconds.',
      verl: 'no stdout here',
      torl: 'UnknownError',
      slime: 'Error: Code execution timed out after 120 seconds',
    },
  ],
  [
    'five megabytes',
    flood,
    {
      retool: `${'0123456789'.repeat(20)}...${tail(201).slice(0, 200)}`,
      pytrio: expect.stringMatching(new RegExp(`^\\[\\.\\.\\. truncated \\d+ chars \\.\\.\\.\\]\\n${tail(4096)}$`)),
      verl: `${'0123456789'.repeat(13).slice(0, 128)}...(truncated)...${tail(128)}`,
      torl: `${'0123456789'.repeat(13).slice(0, 128)}...${tail(129).slice(0, 128)}`,
      slime: expect.stringMatching(/^Output:\n\d+\n\.\.\. \d+ bytes left out \.\.\.\n\d+end$/),
    },
  ],
];

describe('code that runs for real is shown', () => {
  let interpreter: Interpreter;
  const own = new Map<Name, PythonSandbox>();
  beforeAll(async () => {
    interpreter = await resolveInterpreter();
    for (const name of names) {
      const form = { ...usualForm, ...seedSystems[name].observation };
      own.set(name, new PythonSandbox(interpreter, limits, undefined, form));
    }
  });
  afterAll(() => {
    for (const sandbox of own.values()) sandbox.dispose();
  });

  const table = cases.flatMap(([what, code, expected]) => names.map((name) => [name, what, code, expected[name]]));
  it.each(table as [Name, string, string, unknown][])('as %s does, after %s', async (name, _, code, expected) => {
    const { protocol, observation } = seedSystems[name];
    const result = await own.get(name)!.run(code, 1, new AbortController().signal);
    expect(protocolOf(protocol, localVocabulary, { observation }).observe(result)).toEqual(expected);
  });
});
