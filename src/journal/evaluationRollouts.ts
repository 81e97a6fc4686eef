import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { Trajectory } from '../schema/trajectory';
import { type RolloutIndex, type RolloutSummary, readIndex, readLine } from './rolloutIndex';

/** What of a line of an evaluation is read here: the trajectories of one problem, as far as there are any. */
const EvaluatedLine = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('problem'),
    problem_id: z.string(),
    generations: z.array(z.object({ trajectory: Trajectory.optional() })),
  }),
  z.object({ type: z.literal('summary') }),
]);

/** Those of the problem of a line, none of the summary; undefined where the line is broken. */
export function trajectoriesOfProblem(line: unknown): Trajectory[] | undefined {
  const { data } = EvaluatedLine.safeParse(line);
  if (!data) return undefined;
  return data.type === 'problem' ? data.generations.flatMap(({ trajectory }) => trajectory ?? []) : [];
}

/**
 * The trajectories of an evaluation, in its order; `offset` and `length` are those of the line of their problem.
 *
 * @throws RetoolError `run` when the evaluation was not written.
 */
export const readEvaluationIndex = (path: string): Promise<RolloutIndex> => readIndex(path, trajectoriesOfProblem);

/** @throws RetoolError `run` when its line is broken. */
export async function readEvaluated(path: string, row: RolloutSummary): Promise<Trajectory> {
  const found = trajectoriesOfProblem(await readLine(path, row))?.find(({ branch }) => branch === row.branch);
  if (!found) throw new RetoolError('run', `The trajectories at byte ${row.offset} of ${path} are broken.`);
  return found;
}
