import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { namedAs } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { processExists } from '../lib/processExists';
import { runPaths } from './runFolder';

const LockFile = z.object({ pid: z.int(), host: z.string(), token: z.string() });

const heartbeatSeconds = 2;
/** A holder on another machine cannot be asked: one that was silent for so long is taken for dead. */
const silenceSeconds = 30;
/** A take-over that a crash cut short blocks others no longer than this. */
const takeoverSeconds = 10;

/** What a lock is held for. */
type Locked = 'run' | 'evaluation';

const does: Readonly<Record<Locked, string>> = { run: 'train', evaluation: 'make the evaluation' };

/** The right to write one run or evaluation, held by one process. Its file's time is a heartbeat for other machines. */
export class RunLock {
  private readonly path: string;
  private readonly token: string;
  private readonly beat: NodeJS.Timeout;

  private constructor(path: string, token: string) {
    this.path = path;
    this.token = token;
    this.beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeatSeconds * 1000);
    this.beat.unref();
  }

  /**
   * @param run its folder, or that of an evaluation.
   * @throws RetoolError `run` when another live process holds it.
   */
  static async take(run: string, what: Locked = 'run'): Promise<RunLock> {
    const path = join(run, runPaths.lock);
    const token = randomUUID();
    try {
      return await alone(`${path}.takeover`, async () => {
        if (await isLive(run)) throw await heldError(run, path, what);
        await rm(path, { force: true });
        await writeFile(path, JSON.stringify({ pid: process.pid, host: hostname(), token }), { flag: 'wx' });
        return new RunLock(path, token);
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
        throw new RetoolError('run', `Another process has just begun to ${does[what]} ${run}.`, {
          hint: 'Stop that one first.',
        });
      }
      throw RetoolError.from('disk', `The ${what} ${run} cannot be locked`, namedAs(path, `${path}.takeover`, error));
    }
  }

  /** @throws RetoolError `run` when another process holds it; this one may. */
  static async requireFree(run: string, what: Locked): Promise<void> {
    const path = join(run, runPaths.lock);
    if (!(await isLive(run))) return;
    const holder = await readLock(path);
    if (holder?.pid !== process.pid || holder.host !== hostname()) throw await heldError(run, path, what);
  }

  /** Lets go, unless another process has taken the run over meanwhile. */
  async release(): Promise<void> {
    clearInterval(this.beat);
    if ((await readLock(this.path))?.token === this.token) await rm(this.path, { force: true });
  }
}

/** Does `work` while nobody else does any under the same name. @throws EEXIST when somebody does. */
async function alone<T>(name: string, work: () => Promise<T>): Promise<T> {
  const held = await stat(name).catch(() => undefined);
  if (held && Date.now() - held.mtimeMs > takeoverSeconds * 1000) await rmdir(name).catch(() => {});
  await mkdir(name);
  try {
    return await work();
  } finally {
    await rmdir(name).catch(() => {});
  }
}

async function heldError(run: string, path: string, what: Locked): Promise<RetoolError> {
  const holder = await readLock(path);
  const who = holder ? `Process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`}` : 'A process';
  return new RetoolError(
    'run',
    `${who} ${what === 'run' ? 'is already training' : 'already makes the evaluation'} ${run}.`,
    {
      hint: `${what === 'run' ? 'Stop that one first, or start a new run.' : 'Wait for it, or stop it: the same command then goes on.'} If there is none, remove ${path}.`,
    },
  );
}

/** True while the writer of the run exists, or, on another machine, was heard of lately. */
export async function isLive(run: string): Promise<boolean> {
  const path = join(run, runPaths.lock);
  const [lock, info] = await Promise.all([readLock(path), stat(path).catch(() => undefined)]);
  if (!info) return false;
  if (lock?.host === hostname()) return processExists(lock.pid);
  // A lock is empty for the moment between its creation and its content.
  return Date.now() - info.mtimeMs < silenceSeconds * 1000;
}

async function readLock(path: string): Promise<z.infer<typeof LockFile> | undefined> {
  try {
    return LockFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}
