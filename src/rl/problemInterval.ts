import { mulberry32 } from '../lib/seed';

const resamples = 2000;
const seed = 42;

/**
 * 95 % interval of the mean over problems, by a percentile bootstrap of problems: samples of one problem are alike, and
 * an interval over samples would be too narrow.
 *
 * @param shares share correct of each problem, 0..1; at least one.
 * @returns the same for the same shares: `mulberry32(42)`, 2000 resamples, quantiles interpolated linearly.
 */
export function problemInterval(shares: readonly number[]): { low: number; high: number } {
  const random = mulberry32(seed);
  const means = Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let i = 0; i < shares.length; i++) sum += shares[Math.floor(random() * shares.length)]!;
    return sum / shares.length;
  }).sort((a, b) => a - b);
  return { low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

function quantile(sorted: readonly number[], q: number): number {
  const place = q * (sorted.length - 1);
  const below = Math.floor(place);
  const [a, b] = [sorted[below]!, sorted[Math.min(below + 1, sorted.length - 1)]!];
  return a + (b - a) * (place - below);
}
