import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { Trajectory } from '../schema/trajectory';
import {
  linesAtOnce,
  type RolloutIndex,
  type RolloutSummary,
  readIndex,
  readLine,
  summarize,
  writeIndex,
} from './rolloutIndex';

/** Writes the trajectories of a step, one a line, and the index of their byte offsets. */
export async function writeRollouts(path: string, trajectories: readonly Trajectory[]): Promise<void> {
  const lines: Buffer[] = [];
  const rows: RolloutSummary[] = [];
  let offset = 0;
  for (const [i, trajectory] of trajectories.entries()) {
    if (i % linesAtOnce === 0) await breathe();
    const line = Buffer.from(`${JSON.stringify(trajectory)}\n`);
    rows.push(summarize(trajectory, offset, line.length - 1));
    lines.push(line);
    offset += line.length;
  }
  try {
    await writeFileAtomic(path, Buffer.concat(lines));
    await writeIndex(path, offset, { rows });
  } catch (error) {
    throw RetoolError.from('disk', `The trajectories cannot be written`, error);
  }
}

/** The trajectories of a step, in their order. @throws RetoolError `run` when there are none. */
export const readRolloutIndex = (path: string): Promise<RolloutIndex> => readIndex(path, trajectoriesOfLine);

/** The one of a line; undefined where the line is broken. */
export function trajectoriesOfLine(line: unknown): Trajectory[] | undefined {
  const parsed = Trajectory.safeParse(line);
  return parsed.success ? [parsed.data] : undefined;
}

/** @throws RetoolError `run` when its line is broken. */
export async function readRollout(path: string, row: RolloutSummary): Promise<Trajectory> {
  const parsed = Trajectory.safeParse(await readLine(path, row));
  if (!parsed.success) throw new RetoolError('run', `The trajectory at byte ${row.offset} of ${path} is broken.`);
  return parsed.data;
}
