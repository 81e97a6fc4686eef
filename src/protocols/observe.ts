import type { ToolResult } from '../schema/trajectory';

/** The text of a result. @param empty stands for no output. */
export type Form = (result: ToolResult, empty?: string) => string;

/** `None` stands for no output, as it does where Python shows values. */
const nothing = 'None';

/** What a small context has room for: the output of code that ran; else the name of what went wrong. */
export const outputOrName: Form = ({ status, stdout, stderr, exitCode, signal }, empty = nothing) => {
  switch (status) {
    case 'ok':
      return stdout.trim() || empty;
    case 'error':
      return exceptionName(stderr) ?? (stdout.trim() || `exit ${exitCode}`);
    case 'timeout':
      return 'TimeoutError';
    case 'memoryLimit':
      return 'MemoryError';
    case 'outputLimit':
      return 'OutputLimitError';
    case 'killed':
      return signal ?? 'killed';
    case 'infrastructure':
      return 'SandboxError';
    default:
      return status satisfies never;
  }
};

const exceptionLine = /^(?:\w+\.){0,9}([A-Za-z_]\w*)(?::|$)/;

/** The last line of a traceback begins with the name; the message after it may have lines of its own. */
function exceptionName(stderr: string): string | undefined {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const name = exceptionLine.exec(line)?.[1];
    if (name !== undefined && name !== 'Traceback') return name;
  }
  return undefined;
}

/** The output of code that ran; else the last line of what went wrong, as ReTool shows it. */
export const outputOrLastLine: Form = (result, empty) => {
  const { status, stderr } = result;
  if (status !== 'error') return outputOrName(result, empty);
  return stderr.trimEnd().split('\n').at(-1) || outputOrName(result, empty);
};

/** All that the code printed, errors under a heading of their own; what was printed before a failure is kept. */
export const bothStreams: Form = (result, empty = nothing) => {
  const { status, stdout, stderr } = result;
  const printed = [stdout.trimEnd(), stderr.trim() && `stderr:\n${stderr.trimEnd()}`].filter(Boolean);
  const named =
    status === 'ok' || (status === 'error' && printed.length > 0) ? [] : [outputOrName({ ...result, stdout: '' })];
  return [...printed, ...named].join('\n') || empty;
};

/** verl: stdout, then stderr, as they are. */
const streams: Form = (result, empty = nothing) => {
  const { status, stdout, stderr } = result;
  return stdout + stderr || (status === 'ok' || status === 'error' ? empty : outputOrName(result));
};

/** PyTRIO: stdout as it is, or after an error stderr as it is. */
const stderrOnly: Form = (result, empty = nothing) => {
  const { status, stdout, stderr, exitCode, signal } = result;
  if (status === 'ok') return stdout || empty;
  if (status === 'timeout') return outputOrName(result);
  return stderr || `Error: process exited with code ${exitCode ?? signal}.`;
};

/** ToRL: what was printed before an error hides it, and what speaks of an Error becomes its last line. */
const lastLineIfError: Form = ({ status, stdout, stderr }, empty = nothing) => {
  const said = (status === 'ok' || stdout !== '' ? stdout : stderr).trim();
  return (said.includes('Error') ? said.split('\n').at(-1)!.trim() : said) || empty;
};

const traceback = 'Traceback (most recent call last):';

/** slime: both streams under headings; of an exception its message and traceback alone. */
const labelled: Form = (result, empty = nothing) => {
  const { status, stdout, stderr, exitCode, signal } = result;
  if (status === 'ok') {
    return [stdout && `Output:\n${stdout}`, stderr && `\nErrors:\n${stderr}`].join('').trim() || empty;
  }
  if (status === 'timeout') return outputOrName(result);
  const began = stderr.indexOf(traceback);
  if (began < 0) return `Error: Process exited with code ${exitCode ?? signal}\n${stderr}`;
  const told = stderr.slice(began).trim();
  return `Error: ${messageOf(told)}\nTraceback:\n${told}`;
};

/** What follows the name of the last exception, to the end: a message may have lines of its own. */
function messageOf(told: string): string {
  const last = told.slice(told.lastIndexOf(traceback) + traceback.length);
  return last.replace(/^(?:\s*\n| .*\n)*[\w.]*(?:: )?/, '');
}

/** Forms that an experiment can choose instead of its protocol's own. */
export const forms = { streams, lastLine: outputOrLastLine, lastLineIfError, stderrOnly, labelled } satisfies Record<
  string,
  Form
>;
