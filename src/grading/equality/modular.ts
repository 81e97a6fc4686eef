import type { Effort } from './effort';
import { exactValue } from './exact';
import { hashOf } from './hashOf';
import type { Tree } from './tree';

/** Primes of the form 4k+1 below 2^26, so that products of residues are exact doubles and -1 has a root. */
export const primes = [67_108_837, 67_108_777, 67_108_757, 67_108_753, 67_108_729, 67_108_721] as const;

/** Thrown out of the walk where a tree is no rational function of its symbols. */
const outside = Symbol('outside');

/**
 * The value of a rational function modulo a prime, its symbols (and pi and e, which are transcendental) at residues that
 * the seed decides. NaN where it has no value there; undefined where the tree is no rational function with whole exponents.
 *
 * Two different functions of degree D agree at a random point with a chance of at most D / prime (Schwartz and Zippel).
 */
export function modularValue(tree: Tree, index: number, seed: number, effort: Effort): number | undefined {
  const prime = primes[index % primes.length]!;
  const value = walk(tree, prime, seed, effort);
  return typeof value === 'symbol' ? undefined : value;
}

function walk(tree: Tree, prime: number, seed: number, effort: Effort): number | typeof outside {
  effort.spend();
  switch (tree.kind) {
    case 'number':
      return quotient(tree.value.n, tree.value.d, prime);
    case 'symbol':
      return tree.name === '...' ? outside : 2 + Math.floor(hashOf(tree.name, seed) * (prime - 3));
    case 'constant':
      if (tree.name === 'infinity') return outside;
      return tree.name === 'i' ? rootOfMinusOne(prime) : 2 + Math.floor(hashOf(`\\${tree.name}`, prime) * (prime - 3));
    case 'measure': {
      if (tree.unit.dimension === 'angle1') return outside;
      const value = walk(tree.value, prime, seed, effort);
      return typeof value === 'symbol' || tree.unit.dimension !== 'percent'
        ? value
        : (value * inverse(100, prime)) % prime;
    }
    case 'apply':
      break;
    default:
      return outside;
  }
  const [left, right] = tree.args as [Tree, Tree];
  switch (tree.name) {
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide': {
      const a = walk(left, prime, seed, effort);
      if (typeof a === 'symbol') return outside;
      const b = walk(right, prime, seed, effort);
      if (typeof b === 'symbol') return outside;
      if (tree.name === 'add') return (a + b) % prime;
      if (tree.name === 'subtract') return (a - b + prime) % prime;
      if (tree.name === 'multiply') return (a * b) % prime;
      return b === 0 ? Number.NaN : (a * inverse(b, prime)) % prime;
    }
    case 'negate': {
      const a = walk(left, prime, seed, effort);
      return typeof a === 'symbol' ? a : a === 0 ? 0 : prime - a;
    }
    case 'power': {
      const exponent = exactValue(right, effort);
      if (exponent?.d !== 1n) break;
      const base = walk(left, prime, seed, effort);
      if (typeof base === 'symbol') return outside;
      if (base === 0) return exponent.n > 0n ? 0 : Number.NaN;
      return powerOf(base, Number(modulo(exponent.n, BigInt(prime - 1))), prime);
    }
  }
  const value = exactValue(tree, effort);
  return value ? quotient(value.n, value.d, prime) : outside;
}

function modulo(value: bigint, prime: bigint): bigint {
  const rest = value % prime;
  return rest < 0n ? rest + prime : rest;
}

function quotient(n: bigint, d: bigint, prime: number): number {
  const above = Number(modulo(n, BigInt(prime)));
  if (d === 1n) return above;
  const below = Number(d % BigInt(prime));
  return below === 0 ? Number.NaN : (above * inverse(below, prime)) % prime;
}

/** A residue divided by another that is not 0. */
export const quotientModulo = (a: number, b: number, prime: number) => (a * inverse(b, prime)) % prime;

const inverse = (value: number, prime: number) => powerOf(value, prime - 2, prime);

function powerOf(base: number, exponent: number, prime: number): number {
  let [result, square] = [1, base];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}

const roots = new Map<number, number>();

/** a^((p-1)/4) for the first a that is no square. */
function rootOfMinusOne(prime: number): number {
  let root = roots.get(prime);
  for (let base = 2; root === undefined; base += 1) {
    const candidate = powerOf(base, (prime - 1) / 4, prime);
    if ((candidate * candidate) % prime === prime - 1) root = candidate;
  }
  roots.set(prime, root);
  return root;
}
