import { allBoxes } from '../grading/findBox';
import type { Trajectory, Turn } from '../schema/trajectory';

/** What the model wrote around its code. */
const prose = ({ text, code }: Turn) => (code ? text.replace(code, () => '') : text);

/** True when it has neither a whole call nor a box (SimpleTIR, arXiv:2509.02479, section 3.2). */
export const isVoid = ({ code, text }: Turn): boolean => code === undefined && allBoxes(text).length === 0;

export const hasVoidTurn = ({ turns }: Trajectory): boolean => turns.some(isVoid);

/**
 * How unclean a trajectory is, 0..2: the share of its calls that failed, 0.5 when it made none, plus answers given more
 * than once per turn, 1 when it gave none (rStar2-Agent, arXiv:2508.20722, section 3.2).
 */
export function uncleanness({ turns }: Trajectory): number {
  const results = turns.flatMap(({ result }) => result ?? []);
  const errors = results.filter(({ status }) => status !== 'ok').length;
  const answers = turns.reduce((sum, turn) => sum + allBoxes(prose(turn)).length, 0);
  const repeated = answers === 0 ? 1 : Math.min(1, (answers - 1) / turns.length);
  return (results.length === 0 ? 0.5 : errors / results.length) + repeated;
}

/**
 * Resample on correct: `keep` trajectories of a group, correct and other ones in the group's proportion, at least one
 * of each that there is. The cleanest of the correct ones stay; the others stay by order.
 *
 * @returns all of them when there are no more than `keep`.
 */
export function keepCleanest(group: readonly Trajectory[], keep: number): Trajectory[] {
  if (group.length <= keep) return [...group];
  const correct = group.filter(({ grade }) => grade.verdict === 'correct');
  const others = group.filter(({ grade }) => grade.verdict !== 'correct');
  const share = Math.round((keep * correct.length) / group.length);
  const least = Math.max(correct.length > 0 ? 1 : 0, keep - others.length);
  const most = Math.min(correct.length, others.length > 0 ? keep - 1 : keep);
  const count = Math.min(most, Math.max(least, share));
  const cleanest = correct
    .map((trajectory) => ({ trajectory, value: uncleanness(trajectory) }))
    .sort((a, b) => a.value - b.value || a.trajectory.branch - b.trajectory.branch)
    .slice(0, count)
    .map(({ trajectory }) => trajectory);
  return [...cleanest, ...others.slice(0, keep - count)];
}
