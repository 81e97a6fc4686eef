import { wilson } from '../lib/wilsonInterval';
import { type Interval, problemInterval } from './problemInterval';

/**
 * 95 % interval of a mean share over problems: a bootstrap of problems. Where all came out the same it would have no
 * width; then it is Wilson's, with each problem for one observation.
 *
 * @param shares one per problem, 0..1.
 * @returns undefined for fewer than two problems.
 */
export function shareInterval(shares: readonly number[]): Interval | undefined {
  const [first, ...others] = shares;
  if (first === undefined || others.length === 0) return undefined;
  return others.every((share) => share === first) ? wilson(first, shares.length) : problemInterval(shares);
}
