import type { ToolResult } from '../schema/trajectory';

/**
 * What a small context has room for: the output of code that ran; else the name of what went wrong. `None` stands for
 * no output, as it does where Python shows values.
 */
export function outputOrName({ status, stdout, stderr, exitCode, signal }: ToolResult): string {
  switch (status) {
    case 'ok':
      return stdout.trim() || 'None';
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
}

/** The last line of a traceback begins with the name; the message after it may have lines of its own. */
function exceptionName(stderr: string): string | undefined {
  for (const line of stderr.trimEnd().split('\n').reverse()) {
    const name = /^(?:\w+\.){0,9}([A-Za-z_]\w*)(?::|$)/.exec(line)?.[1];
    if (name !== undefined && name !== 'Traceback') return name;
  }
  return undefined;
}

/** The output of code that ran; else the last line of what went wrong, as ReTool and ToRL show it. */
export function outputOrLastLine(result: ToolResult): string {
  const { status, stderr } = result;
  if (status !== 'error') return outputOrName(result);
  return stderr.trimEnd().split('\n').at(-1) || outputOrName(result);
}

/** All that the code printed, errors under a heading of their own; what was printed before a failure is kept. */
export function bothStreams(result: ToolResult): string {
  const { status, stdout, stderr } = result;
  const printed = [stdout.trimEnd(), stderr.trim() && `stderr:\n${stderr.trimEnd()}`].filter(Boolean);
  const named =
    status === 'ok' || (status === 'error' && printed.length > 0) ? [] : [outputOrName({ ...result, stdout: '' })];
  return [...printed, ...named].join('\n') || 'None';
}
