import { closeSync, constants, openSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { gate } from '../lib/concurrency';
import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import type { Sandbox } from '../rl/ports';
import type { ToolResult, ToolStatus } from '../schema/trajectory';
import { readBounded } from './boundedOutput';
import { CallFiles, cpuSecondsOf } from './callFiles';
import { compileRunner } from './compileRunner';
import { killGroup, killStragglers } from './endProcesses';
import type { Interpreter } from './interpreter';
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from './sandboxFolder';
import { stripFences } from './stripFences';

export interface SandboxLimits {
  /** Wall clock of one call, from the start of its process. */
  readonly wallSeconds: number;
  /** CPU of one call; whole seconds, as the kernel counts them. */
  readonly cpuSeconds: number;
  /** Of stdout and of stderr, each: what is kept of them. */
  readonly outputBytes: number;
  /** Calls at once. 0 follows the number of cores. */
  readonly concurrency: number;
}

const level = 'process';
const memoryBytes = 1 << 30;
const fileBytes = 16 << 20;

/** What all calls share. */
interface Ground {
  readonly folder: string;
  /** The FIFO that every call watches: closing it kills them all. */
  readonly lifeline: number;
  readonly program: string;
}

/**
 * Runs Python in a fresh process per call: own folder, empty environment, limits on time, CPU, memory and files.
 *
 * Not a security boundary: the network, the user's files and the user's other processes stay reachable.
 * Output goes to files: a process that the code leaves behind could hold a pipe open past the limit. What a call
 * leaves behind is killed when it ends, in its process group and, on Linux, out of it.
 */
export class PythonSandbox implements Sandbox, Disposable {
  readonly level = level;
  private readonly interpreter: Interpreter;
  private readonly limits: SandboxLimits;
  private readonly enter: ReturnType<typeof gate>;
  private ground: Promise<Ground> | undefined;
  private calls = 0;

  constructor(interpreter: Interpreter, limits: SandboxLimits) {
    this.interpreter = interpreter;
    this.limits = limits;
    this.enter = gate(limits.concurrency || availableParallelism());
  }

  run(code: string, seed: number, signal: AbortSignal): Promise<ToolResult> {
    const asked = performance.now();
    return this.enter(signal, async () => {
      const queueSeconds = (performance.now() - asked) / 1000;
      return { ...(await this.execute(code, seed, signal)), queueSeconds };
    });
  }

  /** @throws RetoolError `python` when a small product does not come out right. */
  async probe(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const result = await this.run('print(6 * 7)', 0, signal);
    if (result.status === 'ok' && result.stdout === '42\n') return;
    const said = (result.stderr || result.stdout).trim().split('\n').at(-1) || result.status;
    throw new RetoolError('python', `${this.interpreter.path} cannot run print(6 * 7) in the sandbox: ${said}`, {
      hint: 'Choose another interpreter in the setting retool.sandbox.python.',
    });
  }

  /** Kills the calls that run and removes all files. A later call prepares anew. */
  dispose(): void {
    const ground = this.ground;
    this.ground = undefined;
    void ground?.then(
      ({ folder, lifeline }) => {
        closeSync(lifeline);
        removeSandboxFolder(folder);
      },
      () => {},
    );
  }

  private async execute(code: string, seed: number, signal: AbortSignal): Promise<ToolResult> {
    let ground: Ground;
    let files: CallFiles;
    try {
      this.ground ??= this.prepare();
      ground = await this.ground;
      this.calls += 1;
      files = new CallFiles(join(ground.folder, String(this.calls)), stripFences(code));
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error));
    }
    try {
      return await this.spawn(ground.program, files, seed, signal);
    } finally {
      await files.remove();
    }
  }

  private async prepare(): Promise<Ground> {
    let folder: string | undefined;
    try {
      await sweepSandboxFolders();
      folder = await makeSandboxFolder();
      const fifo = join(folder, 'lifeline');
      const program = await compileRunner(this.interpreter, fifo, { ...this.limits, memoryBytes, fileBytes });
      return { folder, lifeline: openSync(fifo, constants.O_RDWR | constants.O_NONBLOCK), program };
    } catch (error) {
      this.ground = undefined;
      if (folder !== undefined) removeSandboxFolder(folder);
      throw error;
    }
  }

  private async spawn(program: string, files: CallFiles, seed: number, signal: AbortSignal): Promise<ToolResult> {
    const child = execa(this.interpreter.path, ['-s', '-S', '-B', '-u', '-X', 'utf8', '-c', program, String(seed)], {
      cwd: files.folder,
      // execa takes any descriptor; its types list a few.
      stdin: files.input as 0,
      stdout: files.output as 1,
      stderr: files.errors as 2,
      env: environment(files.folder),
      extendEnv: false, // the host's environment holds keys
      detached: true, // its own process group: one signal ends whatever it spawned
      cleanup: false,
      buffer: false,
      reject: false,
    });
    const { pid } = child;
    let timedOut = false;
    let usedSeconds: number | undefined;
    const end = () => {
      if (pid !== undefined) killGroup(pid);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      if (pid !== undefined) usedSeconds = cpuSecondsOf(pid);
      end();
    }, this.limits.wallSeconds * 1000);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    const result = await child;
    clearTimeout(timer);
    signal.removeEventListener('abort', end); // from here on the pid may become another process's
    end();
    if (pid !== undefined) killStragglers(pid, files.folder);
    signal.throwIfAborted();

    if (pid === undefined) return failure(result.shortMessage ?? `${this.interpreter.path} could not be started.`);
    const stdout = readBounded(files.output, this.limits.outputBytes);
    const stderr = readBounded(files.errors, this.limits.outputBytes);
    const report = files.report();
    if (!report.reached && !timedOut) {
      return failure(
        `${this.interpreter.path} ended before it reached the code: ${stderr.text || result.shortMessage}`,
      );
    }
    if (result.signal === 'SIGXCPU') usedSeconds = this.limits.cpuSeconds;
    return {
      status: statusOf(result.exitCode, result.signal, timedOut),
      stdout: stdout.text,
      stderr: stderr.text,
      exitCode: result.exitCode ?? null,
      signal: result.signal ?? null,
      seconds: result.durationMs / 1000,
      queueSeconds: 0,
      cpuSeconds: report.cpuSeconds ?? usedSeconds ?? 0,
      peakMemoryBytes: report.peakMemoryBytes ?? 0,
      truncated: stdout.truncated || stderr.truncated,
      level,
    };
  }
}

/** From the kernel's word alone: nothing that the code prints can change it. */
function statusOf(exitCode: number | undefined, signal: string | undefined, timedOut: boolean): ToolStatus {
  if (exitCode === 0) return 'ok';
  if (exitCode !== undefined) return 'error';
  if (signal === 'SIGXFSZ') return 'outputLimit';
  if (timedOut || signal === 'SIGXCPU' || signal === 'SIGALRM') return 'timeout';
  return 'killed';
}

function failure(reason: string): ToolResult {
  return {
    status: 'infrastructure',
    stdout: '',
    stderr: reason,
    exitCode: null,
    signal: null,
    seconds: 0,
    queueSeconds: 0,
    cpuSeconds: 0,
    peakMemoryBytes: 0,
    truncated: false,
    level,
  };
}

function environment(folder: string): Record<string, string> {
  return {
    PATH: '/usr/bin:/bin',
    HOME: folder, // also the mark by which stragglers are found
    TMPDIR: folder,
    LANG: 'C.UTF-8',
    OMP_NUM_THREADS: '1',
    OPENBLAS_NUM_THREADS: '1',
    MKL_NUM_THREADS: '1',
    PYTHONHASHSEED: '0',
  };
}
