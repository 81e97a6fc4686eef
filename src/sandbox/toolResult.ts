import { constants } from 'node:os';
import { lastLine } from '../lib/readableText';
import type { ToolResult, ToolStatus } from '../schema/trajectory';
import { boundedOutput } from './boundedOutput';
import { ending, type ResultFrame } from './brokerFrames';

const signalNames = new Map<number, string>(Object.entries(constants.signals).map(([name, value]) => [value, name]));

export function toToolResult(
  frame: ResultFrame,
  limits: { readonly cpuSeconds: number; readonly memoryBytes: number },
  level: string,
): ToolResult {
  const { waitStatus, seconds, queueSeconds, cpuSeconds, peakMemoryBytes } = frame;
  if (frame.ending === ending.byFailure) {
    return infrastructureResult(frame.stderr.head.toString('utf8'), level, queueSeconds);
  }
  const signal = waitStatus & 0x7f;
  const stdout = boundedOutput(frame.stdout);
  const stderr = boundedOutput(frame.stderr);
  return {
    status: statusOf(frame, signal, limits),
    stdout: stdout.text,
    stderr: stderr.text,
    exitCode: signal === 0 ? waitStatus >> 8 : null,
    signal: signal === 0 ? null : (signalNames.get(signal) ?? `SIG${signal}`),
    seconds,
    queueSeconds,
    cpuSeconds,
    peakMemoryBytes,
    truncated: stdout.truncated || stderr.truncated,
    level,
  };
}

/** From the kernel's word and the broker's own act alone: nothing that the code prints can change it. */
function statusOf(
  frame: ResultFrame,
  signal: number,
  limits: { readonly cpuSeconds: number; readonly memoryBytes: number },
): ToolStatus {
  if (signal === 0) return frame.waitStatus === 0 ? 'ok' : 'error';
  if (frame.ending === ending.byClock) return 'timeout';
  if (frame.ending === ending.byOutput || frame.ending === ending.byFolder) return 'outputLimit';
  const { SIGXCPU, SIGKILL } = constants.signals;
  // Code can send itself either signal; and the kernel's clock of the limit runs ahead of what it says in the end.
  if ((signal === SIGXCPU || signal === SIGKILL) && frame.cpuSeconds >= limits.cpuSeconds / 2) return 'timeout';
  return frame.peakMemoryBytes > 0.9 * limits.memoryBytes ? 'memoryLimit' : 'killed';
}

/** The sandbox failed, not the code. */
export function infrastructureResult(reason: string, level: string, queueSeconds = 0): ToolResult {
  return {
    status: 'infrastructure',
    stdout: '',
    stderr: lastLine(reason) ?? 'the sandbox gives no reason',
    exitCode: null,
    signal: null,
    seconds: 0,
    queueSeconds,
    cpuSeconds: 0,
    peakMemoryBytes: 0,
    truncated: false,
    level,
  };
}
