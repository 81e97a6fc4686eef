import type { Effort } from './effort';
import { type Point, valueAt } from './evaluate';
import { exactValue } from './exact';
import type { Rational } from './rational';
import type { Apply, Tree } from './tree';

/** Real numbers in fixed point, as whole multiples of 2^-bits. Undefined is a value that is not real or out of reach. */
type Fixed = bigint | undefined;

const bits = 384n;
const one = 1n << bits;
/** Values beyond are out of reach: 2^2000, and below, what a quotient would blow up. */
const largest = 1n << (bits + 2000n);
const smallest = one >> 64n;
/** Relative and absolute difference that rounding cannot make. */
const relative = 140n;
const absolute = one >> (bits - 130n);

/**
 * Whether two real values differ where doubles do not show it, as e^(pi sqrt 163) and the whole number beside it do.
 * Undefined where that cannot be told: a function is none of those below, or a value is not real.
 */
export function differPrecisely(a: Tree, b: Tree, point: Point, effort: Effort): boolean | undefined {
  const left = value(a, point, effort);
  const right = left === undefined ? undefined : value(b, point, effort);
  if (left === undefined || right === undefined) return undefined;
  const difference = size(left - right);
  return difference > absolute && difference > (size(left) + size(right)) >> relative;
}

const size = (x: bigint) => (x < 0n ? -x : x);
const times = (a: bigint, b: bigint) => (a * b) >> bits;
const over = (a: bigint, b: bigint): Fixed => (size(b) < smallest ? undefined : (a << bits) / b);
const fromRational = ({ n, d }: Rational) => (n << bits) / d;
/** The same point for both sides, though not to the last bit that of a double. */
const fromDouble = (x: number) => BigInt(Math.round(x * 2 ** 52)) << (bits - 52n);
const toDouble = (x: bigint) => Number(x >> (bits - 60n)) / 2 ** 60;

function value(tree: Tree, point: Point, effort: Effort): Fixed {
  effort.spend(8);
  const found = unchecked(tree, point, effort);
  return found === undefined || size(found) > largest ? undefined : found;
}

function unchecked(tree: Tree, point: Point, effort: Effort): Fixed {
  switch (tree.kind) {
    case 'number':
      return fromRational(tree.value);
    case 'symbol':
      return tree.name === '...' ? undefined : fromDouble(valueAt(tree.name, point).re);
    case 'constant':
      return tree.name === 'pi' ? pi() : tree.name === 'e' ? exponential(one) : undefined;
    case 'measure': {
      const inner = value(tree.value, point, effort);
      if (inner === undefined) return undefined;
      if (tree.unit.dimension === 'percent') return inner / 100n;
      return tree.unit.dimension === 'angle1' ? times(inner, pi()) / 180n : inner;
    }
    case 'apply':
      return operation(tree, point, effort);
    default:
      return undefined;
  }
}

function operation(tree: Apply, point: Point, effort: Effort): Fixed {
  const { name, args } = tree;
  const exact = exactValue(tree, effort);
  if (exact) return fromRational(exact);
  const values: bigint[] = [];
  for (const arg of args) {
    const found = value(arg, point, effort);
    if (found === undefined) return undefined;
    values.push(found);
  }
  const [a, b] = values as [bigint, bigint];
  effort.spend(8);
  switch (name) {
    case 'add':
      return a + b;
    case 'subtract':
      return a - b;
    case 'multiply':
      return times(a, b);
    case 'divide':
      return over(a, b);
    case 'negate':
      return -a;
    case 'power':
      return power(a, b, exactValue(args[1]!, effort));
    case 'root': {
      const degree = exactValue(args[1]!, effort);
      return degree?.d === 1n ? root(a, degree.n) : undefined;
    }
    case 'log': {
      const [above, below] = [logarithm(a), logarithm(b)];
      return above === undefined || below === undefined ? undefined : over(above, below);
    }
  }
  return Object.hasOwn(functions, name) ? functions[name]!(a) : undefined;
}

function power(base: bigint, exponent: bigint, exact: Rational | undefined): Fixed {
  if (exact && size(exact.n) <= 512n && exact.d <= 16n) {
    const rooted = exact.d === 1n ? base : root(base, exact.d);
    if (rooted === undefined) return undefined;
    const raised = wholePower(rooted, size(exact.n));
    return exact.n < 0n && raised !== undefined ? over(one, raised) : raised;
  }
  const log = logarithm(base);
  return log === undefined ? undefined : exponential(times(exponent, log));
}

function wholePower(base: bigint, exponent: bigint): Fixed {
  let [result, square] = [one, base];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = times(result, square);
    if (size(result) > largest || size(square) > largest) return undefined;
    if (rest > 1n) square = times(square, square);
  }
  return result;
}

/** The real root: of a negative number for odd degrees alone. */
function root(x: bigint, degree: bigint): Fixed {
  if (degree < 2n || degree > 16n || (x < 0n && degree % 2n === 0n)) return undefined;
  if (x === 0n) return 0n;
  const target = size(x) << (bits * (degree - 1n));
  let guess = 1n << (BigInt(target.toString(16).length * 4) / degree + 1n);
  for (;;) {
    const next = ((degree - 1n) * guess + target / guess ** (degree - 1n)) / degree;
    if (next >= guess) return x < 0n ? -guess : guess;
    guess = next;
  }
}

let circle: bigint | undefined;
/** Machin's formula. */
const pi = () => (circle ??= 4n * (4n * inverseTangent(5n) - inverseTangent(239n)));

/** arctan(1/n) */
function inverseTangent(n: bigint): bigint {
  let [sum, term, sign] = [0n, one / n, 1n];
  for (let odd = 1n; term !== 0n; odd += 2n) {
    sum += (sign * term) / odd;
    term /= n * n;
    sign = -sign;
  }
  return sum;
}

const halvings = 24n;

function exponential(x: bigint): Fixed {
  if (size(x) > one << 10n) return undefined;
  let result = one;
  const reduced = x >> halvings;
  for (let [term, index] = [reduced, 1n]; term !== 0n && term !== -1n; term = times(term, reduced) / ++index)
    result += term;
  for (let index = 0n; index < halvings; index += 1n) result = times(result, result);
  return result;
}

/** Halley's iteration from a double; each step triples its digits. */
function logarithm(x: bigint): Fixed {
  if (x < smallest || x > one << 900n) return undefined;
  let result = fromDouble(Math.log(toDouble(x)));
  for (let step = 0; step < 3; step += 1) {
    const raised = exponential(result);
    if (raised === undefined) return undefined;
    result += (2n * ((x - raised) << bits)) / (x + raised);
  }
  return result;
}

/** Sine and cosine. */
function circular(x: bigint): readonly [bigint, bigint] {
  const turn = 2n * pi();
  const reduced = x - (x / turn) * turn;
  const square = times(reduced, reduced);
  const series = (first: bigint, from: bigint) => {
    let [sum, term] = [first, first];
    for (let index = from; term !== 0n && term !== -1n; index += 2n) {
      term = -times(term, square) / (index * (index + 1n));
      sum += term;
    }
    return sum;
  };
  return [series(reduced, 2n), series(one, 1n)];
}

function arctangent(x: bigint): Fixed {
  let [reduced, doublings] = [x, 0n];
  for (; size(reduced) > one >> 8n; doublings += 1n) {
    const hypotenuse = root(one + times(reduced, reduced), 2n);
    if (hypotenuse === undefined) return undefined;
    reduced = (reduced << bits) / (one + hypotenuse);
  }
  const square = times(reduced, reduced);
  let sum = 0n;
  for (let [term, odd] = [reduced, 1n]; term !== 0n && term !== -1n; odd += 2n) {
    sum += term / odd;
    term = -times(term, square);
  }
  return sum << doublings;
}

function arcsine(x: bigint): Fixed {
  const rest = one - times(x, x);
  if (rest < 0n) return undefined;
  if (rest < smallest) return undefined;
  const cosine = root(rest, 2n);
  const tangent = cosine === undefined ? undefined : over(x, cosine);
  return tangent === undefined ? undefined : arctangent(tangent);
}

const quotient = (above: (x: bigint) => Fixed, below: (x: bigint) => Fixed) => (x: bigint) => {
  const [a, b] = [above(x), below(x)];
  return a === undefined || b === undefined ? undefined : over(a, b);
};
const hyperbolic = (sign: 1n | -1n) => (x: bigint) => {
  const [up, down] = [exponential(x), exponential(-x)];
  return up === undefined || down === undefined ? undefined : (up + sign * down) / 2n;
};
const sin = (x: bigint): Fixed => circular(x)[0];
const cos = (x: bigint): Fixed => circular(x)[1];
const [sinh, cosh] = [hyperbolic(-1n), hyperbolic(1n)];
const unit = (): Fixed => one;

const functions: Readonly<Record<string, (x: bigint) => Fixed>> = {
  sin,
  cos,
  tan: quotient(sin, cos),
  cot: quotient(cos, sin),
  sec: quotient(unit, cos),
  csc: quotient(unit, sin),
  sinh,
  cosh,
  tanh: quotient(sinh, cosh),
  arcsin: arcsine,
  arccos: (x) => {
    const angle = arcsine(x);
    return angle === undefined ? undefined : pi() / 2n - angle;
  },
  arctan: arctangent,
  exp: exponential,
  ln: logarithm,
  absolute: size,
  abs: size,
  cbrt: (x) => root(x, 3n),
};
