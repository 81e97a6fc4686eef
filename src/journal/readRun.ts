import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RetoolError } from '../lib/errors';
import type { JournalRecord } from '../schema/journal';
import type { RunState } from '../schema/runState';
import { JournalTail } from './journalFile';
import { emptyRun, reduceAll } from './reduce';
import { exists, readFrozenExperiment, runPaths } from './runFolder';
import { isLive } from './runLock';

/** A run as its journal tells it now. @throws RetoolError `run` when the folder is not a run. */
export async function readRun(folder: string): Promise<RunState> {
  await readFrozenExperiment(folder);
  const tail = new JournalTail(join(folder, runPaths.journal));
  // Without a journal the run was ended while it began.
  const records = (await exists(tail.path)) ? await readTail(tail) : [];
  const run = { ...reduceAll(emptyRun(basename(folder), folder), records), skipped: tail.skipped };
  return run.status === 'running' && !(await isLive(folder)) ? { ...run, status: 'interrupted' } : run;
}

/** Whether an attempt did more than make the folder, and the journal does not say how the run began. */
export async function lacksBeginning({ folder, facts, seq, skipped }: RunState): Promise<boolean> {
  if (facts) return false;
  if (seq > 0 || skipped > 0) return true;
  const names = [runPaths.rollouts, runPaths.checkpoints, runPaths.evaluations];
  const found = await Promise.all(names.map((name) => readdir(join(folder, name)).catch(() => [])));
  return found.some((entries) => entries.length > 0);
}

async function readTail(tail: JournalTail): Promise<JournalRecord[]> {
  try {
    return await tail.read();
  } catch (error) {
    throw RetoolError.from('run', `The journal ${tail.path} cannot be read`, error);
  }
}
