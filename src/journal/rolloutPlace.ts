import { RetoolError } from '../lib/errors';
import type { RolloutPlace, Trajectory } from '../schema/trajectory';
import { readEvaluated, readEvaluationIndex } from './evaluationRollouts';
import { readRollout, readRolloutIndex } from './rolloutFile';
import type { RolloutSummary } from './rolloutIndex';
import { evaluationFile, rolloutFile } from './runFolder';

/** The trajectories of a place, in the order in which they are stored. @throws RetoolError `run` when there are none. */
export const readRolloutsAt = (run: string, place: RolloutPlace): Promise<RolloutSummary[]> =>
  'step' in place
    ? readRolloutIndex(rolloutFile(run, place.step))
    : readEvaluationIndex(evaluationFile(run, place.evaluation));

/** The whole trajectories of a place, one after the other. @throws RetoolError `run` when there are none. */
export async function* trajectoriesAt(run: string, place: RolloutPlace): AsyncGenerator<Trajectory> {
  const rows = await readRolloutsAt(run, place);
  for (const row of rows) {
    yield 'step' in place
      ? readRollout(rolloutFile(run, place.step), row)
      : readEvaluated(evaluationFile(run, place.evaluation), row);
  }
}

/** @throws RetoolError `run` when the place, the problem or the branch is not there. */
export async function readTrajectoryAt(
  run: string,
  place: RolloutPlace,
  problemId: string,
  branch: number,
): Promise<Trajectory> {
  const path = 'step' in place ? rolloutFile(run, place.step) : evaluationFile(run, place.evaluation);
  const rows = await readRolloutsAt(run, place);
  const row = rows.find((candidate) => candidate.problemId === problemId && candidate.branch === branch);
  if (row) return 'step' in place ? readRollout(path, row) : readEvaluated(path, row);
  const branches = rows.filter((candidate) => candidate.problemId === problemId).map((candidate) => candidate.branch);
  const known = [...new Set(rows.map((candidate) => candidate.problemId))].slice(0, 5).join(', ');
  throw new RetoolError('run', `${path} has no trajectory of problem "${problemId}", branch ${branch}.`, {
    hint:
      branches.length > 0
        ? `Its branches are ${Math.min(...branches)} to ${Math.max(...branches)}.`
        : `Its problems begin with ${known || 'none'}.`,
  });
}
