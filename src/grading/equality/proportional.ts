import { agree, modulus, over } from './complex';
import type { Effort } from './effort';
import { evaluate } from './evaluate';
import { modularValue, primes, quotientModulo } from './modular';
import type { Verdict } from './scalars';
import { symbolsOf, type Tree } from './tree';

/**
 * Whether one expression is a constant multiple of another, neither being nothing: then they vanish together.
 *
 * @param sign what the constant's sign must be, for inequalities.
 */
export function proportional(a: Tree, b: Tree, effort: Effort, sign?: 1): Verdict {
  const names = symbolsOf(a);
  if (names.size === 0 || symbolsOf(b).size !== names.size || [...symbolsOf(b)].some((name) => !names.has(name)))
    return false;
  const modular = modularly(a, b, effort);
  if (modular === false) return false;
  if (modular === true && sign === undefined) return true;
  return numerically(a, b, effort, sign);
}

function modularly(a: Tree, b: Tree, effort: Effort): Verdict {
  let constant: number | undefined;
  let seen = 0;
  for (let seed = 1; seed <= 8 && seen < 4; seed += 1) {
    const left = modularValue(a, 0, seed, effort);
    if (left === undefined) return undefined;
    const right = modularValue(b, 0, seed, effort);
    if (right === undefined) return undefined;
    if (Number.isNaN(left) || Number.isNaN(right)) continue;
    if ((left === 0) !== (right === 0)) return false;
    if (left === 0) continue;
    const ratio = quotientModulo(left, right, primes[0]!);
    if (constant !== undefined && ratio !== constant) return false;
    constant = ratio;
    seen += 1;
  }
  return seen >= 4 ? true : undefined;
}

function numerically(a: Tree, b: Tree, effort: Effort, sign: 1 | undefined): Verdict {
  let first: ReturnType<typeof over> | undefined;
  let seen = 0;
  for (let index = 0; index < 9; index += 1) {
    const point = { bound: new Map(), index };
    const [left, right] = [evaluate(a, point, effort), evaluate(b, point, effort)];
    if (Number.isNaN(left.re) || Number.isNaN(right.re)) continue;
    if (index >= 6 && (left.im !== 0 || right.im !== 0)) continue;
    if (modulus(left) <= 32 * left.err && modulus(right) <= 32 * right.err) continue;
    const ratio = over(left, right);
    if (Number.isNaN(ratio.re)) return modulus(left) <= 32 * left.err ? undefined : false;
    if (sign !== undefined && ratio.re <= 0) return false;
    const same = first === undefined ? true : agree(ratio, first);
    if (same === false) return false;
    if (same === true) seen += 1;
    first ??= ratio;
  }
  return seen >= 3 ? true : undefined;
}
