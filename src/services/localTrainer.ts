import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { RetoolError } from '../lib/errors';
import { type Disposable, Emitter, type Event } from '../lib/lifecycle';
import { randomServiceKey } from '../lib/serviceKey';
import { type KernelKind, TrainerArguments, TrainerLine, trainerKeyVariable } from '../schema/trainerProcess';

export interface LocalTrainerOptions extends TrainerArguments {
  /** The built `trainer.js`; the compute thread and the kernels lie beside it. */
  readonly script: string;
}

/** The local trainer, running. */
export interface LocalTrainer extends Disposable {
  readonly url: string;
  readonly key: string;
  readonly pid: number;
  readonly kernels: KernelKind;
  /** It ended by itself. Fires at most once, and not after `dispose`. */
  readonly onDidFail: Event<RetoolError>;
  /** Resolves when the process is gone. */
  readonly ended: Promise<void>;
}

const killMilliseconds = 2_000;
const keptErrorCharacters = 2_000;

/**
 * Starts the local trainer as a child process. It ends with `dispose`, or with this process however that ends.
 *
 * @throws RetoolError `service` when it does not start; its hint says what to do.
 */
export async function startLocalTrainer(options: LocalTrainerOptions, signal: AbortSignal): Promise<LocalTrainer> {
  signal.throwIfAborted();
  const key = randomServiceKey();
  const child = execa(process.execPath, [options.script, JSON.stringify(TrainerArguments.parse(options))], {
    // VS Code's own executable is Electron, which is Node only when it is told so.
    env: { [trainerKeyVariable]: key, ELECTRON_RUN_AS_NODE: '1' },
    extendEnv: false,
    stdin: 'pipe',
    buffer: false,
    reject: false,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-keptErrorCharacters);
  });
  // A child that is gone closes its end of the pipe; that it is gone is told by its exit.
  child.stdin.on('error', () => undefined);
  const failed = new Emitter<RetoolError>();
  let disposed = false;
  const ended = child.then((result) => {
    if (!disposed) failed.fire(toFailure(result, said));
  });
  const dispose = () => {
    if (disposed) return;
    disposed = true;
    child.stdin.end();
    const kill = setTimeout(() => child.kill('SIGKILL'), killMilliseconds).unref();
    ended.finally(() => clearTimeout(kill)).catch(() => undefined);
  };
  try {
    const lines = createInterface({ input: child.stdout });
    const first = await Promise.race([once(lines, 'line', { signal }), ended.then(() => undefined)]);
    lines.close();
    child.stdout.resume();
    if (!first) throw toFailure(await child, said);
    const line = TrainerLine.parse(JSON.parse(String(first[0])));
    if ('error' in line)
      throw new RetoolError('service', line.error, line.hint === undefined ? {} : { hint: line.hint });
    return { ...line, key, onDidFail: failed.event, ended, dispose };
  } catch (error) {
    dispose();
    throw RetoolError.from('service', 'The local trainer could not start', error);
  }
}

function toFailure(result: { exitCode?: number | undefined; signal?: string | undefined }, said: string): RetoolError {
  const how = result.signal ? `was ended by ${result.signal}` : `ended with code ${result.exitCode ?? 'unknown'}`;
  const lines = said.trim().split('\n');
  const lastLine = lines.find((line) => /^\w*Error\b/.test(line)) ?? lines.at(-1);
  return new RetoolError('service', `The local trainer ${how}${lastLine ? `: ${lastLine.replace(/\.$/, '')}` : ''}.`, {
    hint: 'Resume the run from its last checkpoint.',
  });
}
