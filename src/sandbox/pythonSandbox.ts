import { availableParallelism } from 'node:os';
import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import { lastLine } from '../lib/readableText';
import type { Sandbox } from '../rl/ports';
import { levelsOf, type RefusedLevel, type SandboxLevel } from '../schema/sandboxLevels';
import type { ToolResult } from '../schema/trajectory';
import type { ResultFrame } from './brokerFrames';
import { BrokerEnded, BrokerProcess } from './brokerProcess';
import { type CodeForm, runInForm, usualForm } from './codeForm';
import type { Interpreter } from './interpreter';
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from './sandboxFolder';
import { type ServerKind, serverFor, serverKinds } from './serverKinds';
import { infrastructureResult, toToolResult } from './toolResult';

export interface SandboxLimits {
  /** Wall clock of one call, from its fork: a wide backstop, for a busy machine stretches it. */
  readonly wallSeconds: number;
  /** CPU of one call; whole seconds, as the kernel counts them. */
  readonly cpuSeconds: number;
  /** Of stdout and of stderr, each: what is kept of them. */
  readonly outputBytes: number;
  /** Calls at once. 0 follows the number of cores. */
  readonly concurrency: number;
}

const memoryBytes = 1 << 30;
const fileBytes = 16 << 20;
const floodBytes = 16 << 20;

/** The broker in force and what it stands on. */
interface Ground {
  readonly broker: BrokerProcess;
  readonly ladder: ReachedLevel;
}

/** The level that holds, and those above it that this machine refused. */
export interface ReachedLevel {
  readonly level: SandboxLevel;
  readonly refused: readonly RefusedLevel[];
}

/**
 * Runs Python in a process per call, forked from a server that is loaded and confined already.
 *
 * How far a call is confined is its level, the best that this machine proves when the sandbox starts; `levelPromises`
 * says what each keeps from code. Calls are independent: nothing that one does is seen by another.
 */
export class PythonSandbox implements Sandbox, Disposable {
  private readonly interpreter: Interpreter;
  private readonly limits: SandboxLimits;
  private readonly kinds: readonly ServerKind[];
  private readonly form: CodeForm;
  /** Once one has been reached, no other: results depend on it. */
  private levels: readonly SandboxLevel[];
  private refused: readonly RefusedLevel[] = [];
  private ground: Promise<Ground> | undefined;
  private reached: Ground | undefined;

  /** @param levels that may be tried, best first. */
  constructor(
    interpreter: Interpreter,
    limits: SandboxLimits,
    levels = levelsOf(process.platform),
    form: CodeForm = usualForm,
  ) {
    this.interpreter = interpreter;
    this.limits = limits;
    this.kinds = serverKinds(interpreter);
    this.levels = levels;
    this.form = form;
  }

  /** Known after the first call; until then the best that may be tried. */
  get level(): SandboxLevel {
    return this.reached?.ladder.level ?? this.levels[0] ?? 'limits';
  }

  run(code: string, seed: number, signal: AbortSignal): Promise<ToolResult> {
    return runInForm(code, this.form, (text, printsValue) => this.runText(text, printsValue, seed, signal));
  }

  private async runText(text: string, printsValue: boolean, seed: number, signal: AbortSignal): Promise<ToolResult> {
    signal.throwIfAborted();
    const kind = serverFor(text, this.kinds);
    let failure = '';
    for (let tries = 0; tries < 2; tries++) {
      let ground: Ground | undefined;
      try {
        ground = this.reached ?? (await orAborted(this.prepare(), signal));
        return this.toResult(await ground.broker.run({ text, printsValue, seed: seed % 2 ** 32, kind }, signal));
      } catch (error) {
        signal.throwIfAborted();
        failure = error instanceof Error ? error.message : String(error);
        if (!(error instanceof BrokerEnded)) break;
        if (ground) this.forget(ground.broker);
      }
    }
    return infrastructureResult(failure, this.level);
  }

  /** Climbs down to the level that this machine gives. @throws RetoolError `python` when there is none. */
  async climb(): Promise<ReachedLevel> {
    try {
      return (await this.prepare()).ladder;
    } catch (error) {
      throw RetoolError.from('python', 'The sandbox cannot start', error);
    }
  }

  /** @throws RetoolError `python` when a small product does not come out right. */
  async probe(signal: AbortSignal = new AbortController().signal): Promise<void> {
    const { status, stdout, stderr } = await this.run('print(6 * 7)', 0, signal);
    if (status === 'ok' && stdout === '42\n') return;
    if (status === 'infrastructure') {
      throw new RetoolError('python', `The sandbox does not work: ${stderr}.`, {
        hint: '`retool sandbox probe` shows what this machine gives.',
      });
    }
    const said = lastLine(stderr) ?? lastLine(stdout) ?? status;
    throw new RetoolError('python', `${this.interpreter.path} cannot run print(6 * 7) in the sandbox: ${said}.`, {
      hint: 'Choose another interpreter in the setting retool.sandbox.python.',
    });
  }

  /** Kills the calls that run and removes all files. A later call prepares anew. */
  dispose(): void {
    const ground = this.ground;
    this.ground = undefined;
    this.reached = undefined;
    void ground?.then(
      ({ broker }) => broker.end(),
      () => {},
    );
  }

  private prepare(): Promise<Ground> {
    if (this.ground !== undefined) return this.ground;
    const ground = this.start();
    this.ground = ground;
    ground.catch(() => {
      if (this.ground === ground) this.ground = undefined;
    });
    return ground;
  }

  private async start(): Promise<Ground> {
    await sweepSandboxFolders();
    const folder = await makeSandboxFolder();
    const { interpreter, limits, kinds, levels } = this;
    const { concurrency, ...perCall } = limits;
    const slots = concurrency || availableParallelism();
    const sizes = { memoryBytes, fileBytes, floodBytes };
    const broker = new BrokerProcess({ interpreter, kinds, levels, folder, slots, ...perCall, ...sizes });
    void broker.ended.then(() => {
      removeSandboxFolder(folder);
      this.forget(broker);
    });
    const { level, refused } = await broker.ladder;
    if (level === null) throw new Error(refused.map((one) => `${one.level}: ${one.reason}`).join('; '));
    this.levels = [level];
    this.reached = { broker, ladder: { level, refused: [...this.refused, ...refused] } };
    this.refused = this.reached.ladder.refused;
    return this.reached;
  }

  /** A broker that has ended is replaced by the next call. */
  private forget(broker: BrokerProcess): void {
    if (this.reached?.broker !== broker) return;
    this.ground = undefined;
    this.reached = undefined;
  }

  private toResult(frame: ResultFrame): ToolResult {
    return toToolResult(frame, { cpuSeconds: this.limits.cpuSeconds, memoryBytes }, this.level);
  }
}

/** What `promise` gives, unless `signal` aborts first. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let leave = () => {};
  const aborted = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
