import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readRun } from '../journal/readRun';
import { readFrozenExperiment } from '../journal/runFolder';
import type { RunState } from '../schema/runState';

/**
 * The newest run of an experiment that has taken a step of reinforcement. One that cannot be read is passed over.
 *
 * @param runs folder of runs.
 * @param name of the experiment.
 */
export async function earlierRun(runs: string, name: string): Promise<RunState | undefined> {
  // Their names begin with the time.
  const ids = (await readdir(runs).catch(() => [])).sort().reverse();
  for (const id of ids) {
    const folder = join(runs, id);
    const frozen = await readFrozenExperiment(folder).catch(() => undefined);
    if (frozen?.experiment.name !== name) continue;
    const run = await readRun(folder).catch(() => undefined);
    if (run?.points.some(({ phase }) => phase === 'reinforcement')) return run;
  }
  return undefined;
}
