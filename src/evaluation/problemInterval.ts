import { RetoolError } from '../lib/errors';
import { mulberry32 } from '../lib/seed';

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const resamples = 2000;
const seed = 42;

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * 95 % interval of the mean over problems, by a percentile bootstrap of problems: samples of one problem are alike, and
 * an interval over samples would be too narrow.
 *
 * @param values one per problem: its share correct, 0..1, or the difference of two, -1..1; at least one.
 * @returns the same for the same values: `mulberry32(42)`, 2000 resamples, quantiles interpolated linearly.
 * @throws RetoolError `data` when there is no problem.
 */
export function problemInterval(values: readonly number[]): Interval {
  if (values.length === 0) throw new RetoolError('data', 'An interval over problems needs at least one problem.');
  const random = mulberry32(seed);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += values[Math.floor(random() * values.length)]!;
    return sum / values.length;
  }).sort((a, b) => a - b);
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

function quantile(sorted: readonly number[], q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const [a, b] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return a + (b - a) * (place - below);
}

/**
 * Standard error of the mean over problems: their standard deviation, with P - 1 below, over the root of P. That of all
 * samples taken as independent would be too small.
 *
 * @param values one per problem.
 * @returns undefined for fewer than two problems, whose spread is unknown.
 */
export function standardError(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1) / values.length);
}
