import { wilson } from '../../lib/wilsonInterval';
import type { RunState } from '../../schema/runState';
import type { Strings } from '../strings';
import { percent } from './format';

/** `correct 3.1 % → 71.4 %, 95 % interval 66 % to 76 %` of the evaluations of a run; undefined where the last is missing. */
export function resultText({ evaluations }: RunState, { training: words, tree }: Strings): string | undefined {
  const [before, after] = [evaluations.before?.result, evaluations.after?.result];
  if (!after) return undefined;
  const { low, high } = after.interval ?? wilson(after.correct, after.problems);
  const correct = before
    ? words.correctFromTo(percent(before.correct, 1), percent(after.correct, 1))
    : tree.correctShare(percent(after.correct, 1));
  return `${correct}, ${tree.interval(percent(low), percent(high))}`;
}
