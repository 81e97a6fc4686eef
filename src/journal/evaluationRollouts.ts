import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { Trajectory } from '../schema/trajectory';
import { type RolloutSummary, readIndex, readLine } from './rolloutIndex';

/** What of a line of an evaluation is read here: the trajectories of one problem. */
const EvaluatedProblem = z.object({
  type: z.literal('problem'),
  problem_id: z.string(),
  generations: z.array(z.object({ trajectory: Trajectory })),
});

const trajectoriesOf = (line: unknown): Trajectory[] =>
  EvaluatedProblem.safeParse(line).data?.generations.map(({ trajectory }) => trajectory) ?? [];

/**
 * The trajectories of an evaluation, in its order; `offset` and `length` are those of the line of their problem.
 *
 * @throws RetoolError `run` when the evaluation was not written.
 */
export const readEvaluationIndex = (path: string): Promise<RolloutSummary[]> => readIndex(path, trajectoriesOf);

/** @throws RetoolError `run` when its line is broken. */
export async function readEvaluated(path: string, row: RolloutSummary): Promise<Trajectory> {
  const found = trajectoriesOf(await readLine(path, row)).find(({ branch }) => branch === row.branch);
  if (!found) throw new RetoolError('run', `The trajectories at byte ${row.offset} of ${path} are broken.`);
  return found;
}
