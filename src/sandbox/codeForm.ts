import type { Experiment } from '../schema/experiment';
import type { ToolResult } from '../schema/trajectory';
import { stripFences } from './stripFences';

/** How the code of a call is read before it runs. */
export type CodeForm = Pick<Experiment['observation'], 'lastExpression' | 'unfence'>;

export const usualForm: CodeForm = { lastExpression: 'value', unfence: 'surrounding' };

/** @param printsValue whether the value of a last expression is printed. */
type Run = (text: string, printsValue: boolean) => Promise<ToolResult>;

/** Runs the code of a call, read in that form. */
export async function runInForm(code: string, { lastExpression, unfence }: CodeForm, run: Run): Promise<ToolResult> {
  const text = unfenced(code, unfence);
  if (lastExpression === 'value') return run(text, true);
  if (lastExpression === 'printLastLine') return run(lastLinePrinted(text), false);
  const first = await run(text, false);
  if (lastExpression === 'off' || first.status !== 'ok' || first.stdout !== '') return first;
  const again = await run(lastLineEvaluated(text), false);
  return {
    ...again,
    seconds: first.seconds + again.seconds,
    queueSeconds: first.queueSeconds + again.queueSeconds,
    cpuSeconds: first.cpuSeconds + again.cpuSeconds,
  };
}

function unfenced(code: string, unfence: CodeForm['unfence']): string {
  if (unfence === 'surrounding') return stripFences(code);
  const block = unfence === 'firstPython' ? /```python([\s\S]*?)```/.exec(code) : undefined;
  return block ? block[1]!.trim() : code;
}

/**
 * verl's rule: the last line that is not empty is put into `print()`, unless it begins with `print`. What is no expression
 * by itself (an assignment, the last line of a loop, a closing bracket, a comment) breaks by that, as it does in verl.
 */
function lastLinePrinted(code: string): string {
  const lines = code.split('\n');
  const at = lines.findLastIndex((line) => line !== '');
  if (at >= 0 && !lines[at]!.startsWith('print')) lines[at] = `print(${lines[at]})`;
  return lines.join('\n');
}

/**
 * ReTool's rule for code that printed nothing: all but the last line is run again and the last line evaluated. Where that
 * is no expression, the model is shown the SyntaxError.
 */
function lastLineEvaluated(code: string): string {
  const lines = code.trim().split('\n');
  const last = lines.pop()!;
  // A JSON string is one of Python too.
  return `exec(${JSON.stringify(lines.join('\n'))}, globals())\nprint(eval(${JSON.stringify(last)}, globals()))`;
}
