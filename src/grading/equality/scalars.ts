import { bends } from './bends';
import { agree, type Complex, modulus, real } from './complex';
import type { Effort } from './effort';
import { evaluate, firstNegative, firstWhole } from './evaluate';
import { exactValue } from './exact';
import { modularValue } from './modular';
import { differPrecisely } from './precise';
import { equal, type Rational, toDouble } from './rational';
import { contains, isInfinity, type NumberTree, symbolsOf, type Tree } from './tree';

/** Whether it is so; undefined where that cannot be told. */
export type Verdict = boolean | undefined;

/** Points at which symbols are whole numbers, where a side takes steps. */
const wholePoints = 3;
/** Points at which values that agree as doubles are worked out to a hundred digits. */
const precisePoints = 2;
const isStep = (tree: Tree) => tree.kind === 'apply' && /^(?:floor|ceil|sgn|sign|modulo)$/.test(tree.name);
const nothing: ReadonlyMap<string, Complex> = new Map();

/**
 * Whether two expressions have the same value, whatever their symbols stand for.
 *
 * Numbers are compared as exact fractions, rational functions modulo primes, all else at fixed points in complex doubles
 * that carry their error. What overflows has no value and is never equal.
 */
export function equalScalars(a: Tree, b: Tree, effort: Effort): Verdict {
  const [infinite, other] = [infinity(a), infinity(b)];
  if (infinite !== 0 || other !== 0) return infinite === other;
  const [exactA, exactB] = [exactValue(a, effort), exactValue(b, effort)];
  if (exactA && exactB) return equal(exactA, exactB) || standsFor(a, exactB) || standsFor(b, exactA);
  const slack = decimalSlack(a) + decimalSlack(b);
  if (slack === 0) {
    const modular = equalModular(a, b, effort);
    if (modular !== undefined) return modular;
  }
  const same = equalAtPoints(a, b, slack, effort);
  // A double cannot tell a fraction this long from its neighbours.
  const long = (value: Rational | undefined) => value !== undefined && value.d > 2n ** 50n;
  return same === true && slack === 0 && (long(exactA) || long(exactB)) ? undefined : same;
}

/** 1 and -1 for the infinities, else 0. */
export function infinity(tree: Tree): -1 | 0 | 1 {
  if (isInfinity(tree)) return 1;
  if (tree.kind === 'apply' && tree.name === 'negate' && isInfinity(tree.args[0]!)) return -1;
  return 0;
}

/** Digits from which on a decimal may stand for a number that has no end. */
const tellingDigits = 6;

function decimalOf(tree: Tree): { readonly number: NumberTree; readonly sign: number } | undefined {
  if (tree.kind === 'apply' && tree.name === 'negate') {
    const inner = decimalOf(tree.args[0]!);
    return inner && { number: inner.number, sign: -inner.sign };
  }
  return tree.kind === 'number' && tree.places !== undefined && tree.digits >= tellingDigits
    ? { number: tree, sign: 1 }
    : undefined;
}

/** Whether a decimal is what rounding or cutting a fraction without end leaves. */
function standsFor(tree: Tree, value: Rational): boolean {
  const decimal = decimalOf(tree);
  if (!decimal || terminates(value.d)) return false;
  const scale = 10n ** BigInt(Math.max(decimal.number.places!, 0));
  const sized = value.n < 0n ? -value.n : value.n;
  if (value.n < 0n !== decimal.sign < 0) return false;
  const written = (decimal.number.value.n * scale) / decimal.number.value.d;
  const cut = (sized * scale) / value.d;
  const rounded = (2n * sized * scale + value.d) / (2n * value.d);
  return written === cut || written === rounded;
}

function terminates(denominator: bigint): boolean {
  let rest = denominator;
  for (const prime of [2n, 5n]) while (rest % prime === 0n) rest /= prime;
  return rest === 1n;
}

/** How far a long decimal that is a whole side may be off; 0 for anything else. */
function decimalSlack(tree: Tree): number {
  const decimal = decimalOf(tree)?.number;
  return decimal && decimal.value.d !== 1n ? 10 ** -decimal.places! : 0;
}

function equalModular(a: Tree, b: Tree, effort: Effort): Verdict {
  let compared = 0;
  for (let index = 0; index < 6 && compared < 3; index += 1) {
    const left = modularValue(a, index, index + 1, effort);
    if (left === undefined) return undefined;
    const right = modularValue(b, index, index + 1, effort);
    if (right === undefined) return undefined;
    if (Number.isNaN(left) || Number.isNaN(right)) continue;
    if (left !== right) return false;
    compared += 1;
  }
  return compared >= 3 ? true : undefined;
}

function equalAtPoints(a: Tree, b: Tree, slack: number, effort: Effort): Verdict {
  const names = symbolsOf(a);
  symbolsOf(b, names);
  const isImaginary = (tree: Tree) => tree.kind === 'constant' && tree.name === 'i';
  const complex = contains(a, isImaginary) || contains(b, isImaginary);
  const steps = contains(a, isStep) || contains(b, isStep);
  const last = names.size === 0 ? 1 : steps ? firstWhole + wholePoints : firstWhole;
  let [agreed, unclear] = [0, 0];
  for (let index = 0; index < last; index += 1) {
    const point = { bound: nothing, index };
    const left = evaluate(a, point, effort);
    const right = evaluate(b, point, effort);
    // Below zero only real values count: there the branches of roots and logarithms differ.
    if (index >= firstNegative && !complex && (left.im !== 0 || right.im !== 0)) continue;
    const same = agree(left, right);
    if (same === false && !within(left, right, slack)) return false;
    if (same === undefined) unclear += 1;
    else agreed += 1;
  }
  for (const bound of bends(a, b, names, effort)) {
    const point = { bound, index: 0 };
    const [left, right] = [evaluate(a, point, effort), evaluate(b, point, effort)];
    if (!complex && (left.im !== 0 || right.im !== 0)) continue;
    if (agree(left, right) === false && !within(left, right, slack)) return false;
  }
  const needed = names.size === 0 ? 1 : 3;
  if (agreed < needed || unclear > agreed) return undefined;
  if (slack > 0 || complex) return true;
  const looks = names.size === 0 ? 1 : precisePoints;
  for (let index = 0; index < looks; index += 1) {
    if (differPrecisely(a, b, { bound: nothing, index }, effort)) return false;
  }
  return true;
}

/** A decimal is rounded or cut towards zero: half a unit of its last place either way, or up to one below. */
function within(a: Complex, b: Complex, slack: number): boolean {
  if (slack === 0) return false;
  const apart = (x: number, y: number) =>
    Math.abs(x - y) <= 0.505 * slack ||
    (x * y >= 0 && Math.abs(x - y) < slack && Math.abs(x - y) > 0 && truncates(x, y, slack));
  return apart(a.re, b.re) && apart(a.im, b.im);
}

const truncates = (x: number, y: number, slack: number) => {
  const [small, large] = [Math.min(Math.abs(x), Math.abs(y)), Math.max(Math.abs(x), Math.abs(y))];
  return Math.abs(Math.floor(large / slack + 1e-6) - small / slack) < 1e-3;
};

/** The real number that a tree without symbols is; undefined where it is none. */
export function realValue(tree: Tree, effort: Effort): number | undefined {
  const sign = infinity(tree);
  if (sign !== 0) return sign * Number.POSITIVE_INFINITY;
  if (symbolsOf(tree).size > 0) return undefined;
  const exact = exactValue(tree, effort);
  const value = exact ? real(toDouble(exact)) : evaluate(tree, { bound: nothing, index: 0 }, effort);
  if (
    Number.isNaN(value.re) ||
    Math.abs(value.im) > Math.max(value.err * 4, 0) ||
    modulus(value) === Number.POSITIVE_INFINITY
  )
    return undefined;
  return value.re;
}
