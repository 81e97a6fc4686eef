import type { Effort } from './effort';
import {
  add,
  compareRationals,
  divide,
  floor,
  greatestDivisor,
  multiply,
  negate,
  one,
  power,
  type Rational,
  rational,
  zero,
} from './rational';
import type { Apply, Series, Tree } from './tree';

/** Values of bound variables. */
type Bound = Readonly<Record<string, Rational>>;
const none: Bound = {};

/** The rational number that a tree is, or undefined where it is none or is too long. */
export function exactValue(tree: Tree, effort: Effort, bound: Bound = none): Rational | undefined {
  effort.spend();
  switch (tree.kind) {
    case 'number':
      return tree.value;
    case 'symbol':
      return Object.hasOwn(bound, tree.name) ? bound[tree.name] : undefined;
    case 'measure': {
      const value = tree.unit.dimension === 'angle1' ? undefined : exactValue(tree.value, effort, bound);
      return value && (tree.unit.dimension === 'percent' ? divide(value, { n: 100n, d: 1n }) : value);
    }
    case 'apply':
      return operation(tree, effort, bound);
    case 'series':
      return tree.name === 'int' ? undefined : series(tree, effort, bound);
    default:
      return undefined;
  }
}

function operation({ name, args }: Apply, effort: Effort, bound: Bound): Rational | undefined {
  const values: Rational[] = [];
  for (const arg of args) {
    const value = exactValue(arg, effort, bound);
    if (!value) return undefined;
    values.push(value);
  }
  const [a, b] = values as [Rational, Rational];
  switch (name) {
    case 'add':
      return add(a, b);
    case 'subtract':
      return add(a, negate(b));
    case 'multiply':
      return multiply(a, b);
    case 'divide':
      return divide(a, b);
    case 'negate':
      return negate(a);
    case 'power':
      effort.spend(20);
      return power(a, b);
    case 'root':
      return b.n === 0n ? undefined : power(a, b.n < 0n ? { n: -b.d, d: -b.n } : { n: b.d, d: b.n });
    case 'absolute':
    case 'abs':
      return a.n < 0n ? negate(a) : a;
    case 'floor':
      return floor(a);
    case 'ceil':
      return negate(floor(negate(a)));
    case 'modulo':
      return b.n === 0n ? undefined : remainder(a, b);
    case 'max':
      return values.reduce((x, y) => (compareRationals(x, y) >= 0 ? x : y));
    case 'min':
      return values.reduce((x, y) => (compareRationals(x, y) <= 0 ? x : y));
    case 'gcd':
      return whole(values, greatestDivisor);
    case 'lcm':
      return whole(values, (x, y) => (x === 0n || y === 0n ? 0n : abs(x * y) / greatestDivisor(x, y)));
    case 'factorial':
      return factorial(a, 1n, effort);
    case 'doubleFactorial':
      return factorial(a, 2n, effort);
    case 'binomial':
      return binomial(a, b, effort);
    default:
      return undefined;
  }
}

const abs = (value: bigint) => (value < 0n ? -value : value);

function remainder(a: Rational, b: Rational): Rational | undefined {
  const quotient = divide(a, b);
  const whole = quotient && multiply(b, floor(quotient));
  return whole && add(a, negate(whole));
}

function whole(values: readonly Rational[], fold: (x: bigint, y: bigint) => bigint): Rational | undefined {
  if (values.length === 0 || values.some(({ d }) => d !== 1n)) return undefined;
  return rational(values.map(({ n }) => abs(n)).reduce(fold));
}

function factorial({ n, d }: Rational, step: bigint, effort: Effort): Rational | undefined {
  if (d !== 1n || n < 0n || n > 2500n) return undefined;
  effort.spend(Number(n));
  let product = 1n;
  for (let factor = n; factor > 1n; factor -= step) product *= factor;
  return rational(product);
}

function binomial(n: Rational, k: Rational, effort: Effort): Rational | undefined {
  if (n.d !== 1n || k.d !== 1n || n.n < 0n) return undefined;
  if (k.n < 0n || k.n > n.n) return zero;
  const count = k.n * 2n > n.n ? n.n - k.n : k.n;
  if (count > 2500n) return undefined;
  effort.spend(Number(count));
  let product = 1n;
  for (let index = 1n; index <= count; index += 1n) product = (product * (n.n - count + index)) / index;
  return rational(product);
}

function series({ name, variable, from, to, body }: Series, effort: Effort, bound: Bound): Rational | undefined {
  const first = exactValue(from, effort, bound);
  const last = exactValue(to, effort, bound);
  if (!first || !last || first.d !== 1n || last.d !== 1n || last.n - first.n > 2000n) return undefined;
  let total: Rational | undefined = name === 'sum' ? zero : one;
  for (let index = first.n; total && index <= last.n; index += 1n) {
    const term = exactValue(body, effort, { ...bound, [variable]: { n: index, d: 1n } });
    total = term && (name === 'sum' ? add(total, term) : multiply(total, term));
  }
  return total;
}
