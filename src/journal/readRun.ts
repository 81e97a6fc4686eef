import { basename, join } from 'node:path';
import type { RunState } from '../schema/runState';
import { JournalTail } from './journalFile';
import { emptyRun, reduce } from './reduce';
import { exists, readFrozenExperiment, runPaths } from './runFolder';
import { isLive } from './runLock';

/** A run as its journal tells it now. @throws RetoolError `run` when the folder is not a run. */
export async function readRun(folder: string): Promise<RunState> {
  await readFrozenExperiment(folder);
  const tail = new JournalTail(join(folder, runPaths.journal));
  // Without a journal the run was ended while it began.
  const records = (await exists(tail.path)) ? await tail.read() : [];
  const run = { ...records.reduce(reduce, emptyRun(basename(folder), folder)), skipped: tail.skipped };
  return run.status === 'running' && !(await isLive(folder)) ? { ...run, status: 'interrupted' } : run;
}
