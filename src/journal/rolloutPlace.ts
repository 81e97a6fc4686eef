import { RetoolError } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
import { textLines } from '../lib/textLines';
import type { RolloutPlace, Trajectory } from '../schema/trajectory';
import { readEvaluated, readEvaluationIndex, trajectoriesOfProblem } from './evaluationRollouts';
import { readRollout, readRolloutIndex, trajectoriesOfLine } from './rolloutFile';
import type { RolloutIndex, RolloutSummary, UnreadLines } from './rolloutIndex';
import { evaluationFile, exists, rolloutFile } from './runFolder';

/** The file of the trajectories of a place. */
export const fileOfPlace = (run: string, place: RolloutPlace): string =>
  'step' in place ? rolloutFile(run, place.step) : evaluationFile(run, place.evaluation);

/** What the file of a place holds, and what of it is broken. @throws RetoolError `run` when there is none. */
export const rolloutIndexAt = (run: string, place: RolloutPlace): Promise<RolloutIndex> =>
  'step' in place ? readRolloutIndex(fileOfPlace(run, place)) : readEvaluationIndex(fileOfPlace(run, place));

/** The trajectories of a place, in the order in which they are stored. @throws RetoolError `run` when there are none. */
export const readRolloutsAt = async (run: string, place: RolloutPlace): Promise<RolloutSummary[]> =>
  (await rolloutIndexAt(run, place)).rows;

/** Bytes of a trajectory, or of a problem with all of its trajectories. */
const longestLine = 1 << 28;

/**
 * The whole trajectories of a place, one after the other.
 *
 * @param onUnread is told the number of each line that cannot be read, from 1.
 * @throws RetoolError `run` when the place has no file; as `textLines`.
 */
export async function* trajectoriesAt(
  run: string,
  place: RolloutPlace,
  onUnread: (line: number) => void = () => {},
): AsyncGenerator<Trajectory> {
  const path = fileOfPlace(run, place);
  if (!(await exists(path))) {
    throw new RetoolError('run', `No trajectories are stored at ${path}.`, {
      hint: 'Choose a step or an evaluation that has ended.',
    });
  }
  const trajectoriesOf = 'step' in place ? trajectoriesOfLine : trajectoriesOfProblem;
  for await (const { number, text } of textLines(path, { longest: longestLine, lenient: true })) {
    if (text.trim() === '') continue;
    const found = trajectoriesOf(parseJson(text));
    if (found) yield* found;
    else onUnread(number);
  }
}

/** A sentence on what is broken. */
export function unreadText(folder: string, place: RolloutPlace, { lines, first }: UnreadLines): string {
  const file = fileOfPlace(folder, place);
  return lines === 1
    ? `${file}, line ${first} cannot be read and is left out.`
    : `${lines} lines of ${file} cannot be read and are left out, the first is line ${first}.`;
}

/** @throws RetoolError `run` when the place, the problem or the branch is not there. */
export async function readTrajectoryAt(
  run: string,
  place: RolloutPlace,
  problemId: string,
  branch: number,
): Promise<Trajectory> {
  const path = fileOfPlace(run, place);
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
