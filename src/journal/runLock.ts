import { type FileHandle, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { runPaths } from './runFolder';

const LockFile = z.object({ pid: z.int(), host: z.string() });

const heartbeatSeconds = 2;
/** A holder that was silent for so long is taken for dead even where its pid cannot be asked. */
const silenceSeconds = 30;

/** The right to write one run, held by one process. Its file's time is a heartbeat. */
export class RunLock {
  private readonly path: string;
  private readonly beat: NodeJS.Timeout;

  private constructor(path: string) {
    this.path = path;
    this.beat = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), heartbeatSeconds * 1000);
    this.beat.unref();
  }

  /** @throws RetoolError `run` when another live process holds it. */
  static async take(run: string): Promise<RunLock> {
    const path = join(run, runPaths.lock);
    if (await isLive(run)) {
      const holder = await readLock(path);
      throw new RetoolError('run', `Process ${holder?.pid ?? '?'} is already training ${run}.`, {
        hint: 'Stop that one first, or start a new run.',
      });
    }
    const stale = `${path}.stale-${process.pid}`;
    await rename(path, stale).catch(() => {});
    await rm(stale, { force: true });
    let file: FileHandle;
    try {
      file = await open(path, 'wx');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw RetoolError.from('disk', `The run ${run} cannot be locked`, error);
      }
      throw new RetoolError('run', `Another process has just begun to train ${run}.`, { hint: 'Stop that one first.' });
    }
    try {
      await file.writeFile(JSON.stringify({ pid: process.pid, host: hostname() }));
    } catch (error) {
      throw RetoolError.from('disk', `The run ${run} cannot be locked`, error);
    } finally {
      await file.close();
    }
    return new RunLock(path);
  }

  async release(): Promise<void> {
    clearInterval(this.beat);
    await rm(this.path, { force: true });
  }
}

/** True while a process that can be asked, or was heard of lately, writes the run. */
export async function isLive(run: string): Promise<boolean> {
  const path = join(run, runPaths.lock);
  const [lock, info] = await Promise.all([readLock(path), stat(path).catch(() => undefined)]);
  if (!info) return false;
  const fresh = Date.now() - info.mtimeMs < silenceSeconds * 1000;
  // A lock is empty for the moment between its creation and its content.
  if (!lock || lock.host !== hostname()) return fresh;
  return fresh && pidExists(lock.pid);
}

async function readLock(path: string): Promise<z.infer<typeof LockFile> | undefined> {
  try {
    return LockFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
