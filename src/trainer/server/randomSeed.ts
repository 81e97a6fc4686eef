import { randomInt } from 'node:crypto';

/** A seed for a request that came without one, in [0, 2^47). */
export function randomSeed(): number {
  return randomInt(2 ** 47);
}
