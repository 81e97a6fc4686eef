import { basename, join } from 'node:path';
import { RetoolError } from '../lib/errors';
import type { RunState } from '../schema/runState';
import { JournalTail } from './journalFile';
import { emptyRun, reduce } from './reduce';
import { exists, readFrozenExperiment, runPaths } from './runFolder';
import { isLive } from './runLock';

/** A run as its journal tells it now. @throws RetoolError `run` when the folder is not a run. */
export async function readRun(folder: string): Promise<RunState> {
  await readFrozenExperiment(folder);
  const path = join(folder, runPaths.journal);
  if (!(await exists(path))) {
    throw new RetoolError('run', `${folder} is not a run folder: it has no ${runPaths.journal}.`, {
      hint: "Give a folder that 'retool train' made.",
    });
  }
  const tail = new JournalTail(path);
  const records = await tail.read();
  const run = { ...records.reduce(reduce, emptyRun(basename(folder), folder)), skipped: tail.skipped };
  return run.status === 'running' && !(await isLive(folder)) ? { ...run, status: 'interrupted' } : run;
}
