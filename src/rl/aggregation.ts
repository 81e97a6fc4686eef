import type { Experiment } from '../schema/experiment';

export interface Aggregation {
  readonly kind: Experiment['reinforcement']['loss']['aggregation'];
  /** T of `sequenceMeanTokenSumNorm`, tokens. */
  readonly horizon: number;
  /** Trajectories and tokens that a mean counts beside those that are trained on. */
  readonly uncounted?: { readonly rows: number; readonly tokens: number };
}

export const tokenMean: Aggregation = { kind: 'tokenMean', horizon: 1 };

/**
 * What every token's loss of each row is multiplied by, so that the sum is the wanted reduction.
 *
 * For losses [.4, .2] and [.1, .1, .1, .5]: tokenMean 0.2333, sequenceMeanTokenSum 0.7, sequenceMeanTokenMean 0.25,
 * sequenceMeanTokenSumNorm with T = 8 0.175 (over T, not over the number of rows), tokenSum 1.4. Names as in verl.
 *
 * @param tokens trained tokens of each row.
 */
export function rowWeights(tokens: readonly number[], { kind, horizon, uncounted }: Aggregation): number[] {
  const rows = tokens.length + (uncounted?.rows ?? 0);
  const all = tokens.reduce((sum, count) => sum + count, uncounted?.tokens ?? 0);
  const weightOf: Record<Aggregation['kind'], (count: number) => number> = {
    tokenMean: () => 1 / all,
    sequenceMeanTokenSum: () => 1 / rows,
    sequenceMeanTokenMean: (count) => 1 / (rows * count),
    sequenceMeanTokenSumNorm: () => 1 / horizon,
    tokenSum: () => 1,
  };
  return tokens.map((count) => (count === 0 ? 0 : weightOf[kind](count)));
}
