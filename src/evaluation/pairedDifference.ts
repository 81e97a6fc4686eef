import { RetoolError } from '../lib/errors';
import { type Interval, meanOf, problemInterval, standardError } from './problemInterval';

/** How much more of the same problems a second checkpoint solves than a first. */
export interface PairedDifference extends Interval {
  readonly problems: number;
  /** Mean over problems of the second share less the first, -1..1; `low` and `high` are its 95 % interval. */
  readonly difference: number;
  /** Over problems; null for a single one. */
  readonly standardError: number | null;
  /** Problems whose share is higher, and lower, with the second. */
  readonly better: number;
  readonly worse: number;
}

/**
 * Compares two checkpoints problem by problem: what makes a problem hard is hard for both and falls out, so that the
 * interval is narrower than those of the two would let think.
 *
 * @param before share correct by id of problem, 0..1; of the first checkpoint.
 * @throws RetoolError `data` when they are not of the same problems, or of none.
 */
export function pairedDifference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): PairedDifference {
  const unpaired = [...before.keys()].find((id) => !after.has(id)) ?? [...after.keys()].find((id) => !before.has(id));
  if (unpaired !== undefined) {
    throw new RetoolError('data', `The problem ${unpaired} was evaluated with one of the two checkpoints only.`, {
      hint: 'Compare evaluations of the same problems.',
    });
  }
  const differences = [...before].map(([id, share]) => after.get(id)! - share);
  return {
    problems: differences.length,
    ...problemInterval(differences),
    difference: meanOf(differences),
    standardError: standardError(differences) ?? null,
    better: differences.filter((difference) => difference > 0).length,
    worse: differences.filter((difference) => difference < 0).length,
  };
}
