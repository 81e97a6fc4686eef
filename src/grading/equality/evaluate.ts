import { type Complex, negative, over, plus, real, rootOf, settling, times, undefinedValue } from './complex';
import { type Effort, Exhausted } from './effort';
import { exactValue } from './exact';
import { binomial, functions, logarithmTo, moduloOf, raise } from './functions';
import { hashOf } from './hashOf';
import { toDouble } from './rational';
import type { Apply, Series, Tree } from './tree';

/** A choice of values for symbols. */
export interface Point {
  /** Undefined where the name has no value of its own and takes one from the point. */
  readonly bound: ReadonlyMap<string, Complex>;
  readonly index: number;
}

/** Letters that count things. */
const wholeNames = /^[nkm]$/;
/** Here, and three further among the negative ones, values are large: near 1, 4x never exceeds 12. */
const farPoint = 5;
/** From this index on, symbols may be negative. */
export const firstNegative = 6;
/** From this index on, all symbols are whole numbers: steps are seen there alone. */
export const firstWhole = 9;

/** What a symbol stands for at a point. */
export function valueAt(name: string, { bound, index }: Point): Complex {
  const own = bound.get(name);
  if (own) return own;
  const chance = hashOf(name, index + 1);
  if (index >= firstWhole) return real(Math.floor(chance * 21) - 10, 0);
  if (wholeNames.test(name)) return real(2 + Math.floor(chance * 8), 0);
  const size = index === farPoint || index === farPoint + 3 ? 5 + 40 * chance : 0.15 + 2.4 * chance;
  return real(index >= firstNegative && hashOf(name, index + 101) < 0.7 ? -size : size, 0);
}

/** The value of a tree as a complex double. NaN where it has none, or where doubles cannot hold it. */
export function evaluate(tree: Tree, point: Point, effort: Effort): Complex {
  effort.spend();
  switch (tree.kind) {
    case 'number': {
      const value = toDouble(tree.value);
      return Number.isInteger(value) && Math.abs(value) < 2 ** 53 ? real(value, 0) : real(value);
    }
    case 'symbol':
      return tree.name === '...' ? undefinedValue : valueAt(tree.name, point);
    case 'constant':
      if (tree.name === 'infinity') return undefinedValue;
      return tree.name === 'i' ? { re: 0, im: 1, err: 0 } : real(tree.name === 'pi' ? Math.PI : Math.E);
    case 'measure': {
      const value = evaluate(tree.value, point, effort);
      if (tree.unit.dimension === 'percent') return over(value, real(100, 0));
      return tree.unit.dimension === 'angle1' ? times(value, real(Math.PI / 180)) : value;
    }
    case 'apply':
      return operation(tree, point, effort);
    case 'series':
      return tree.name === 'int' ? integral(tree, point, effort) : series(tree, point, effort);
    default:
      return undefinedValue;
  }
}

function operation({ name, args }: Apply, point: Point, effort: Effort): Complex {
  if (name === 'power') return power(args[0]!, args[1]!, point, effort);
  if (name === 'det') return determinant(args[0]!, point, effort);
  const values: Complex[] = [];
  for (const arg of args) {
    const value = evaluate(arg, point, effort);
    if (Number.isNaN(value.re)) return undefinedValue;
    values.push(value);
  }
  const [a, b] = values as [Complex, Complex];
  switch (name) {
    case 'add':
      return plus(a, b);
    case 'subtract':
      return plus(a, negative(b));
    case 'multiply':
      return times(a, b);
    case 'divide':
      return over(a, b);
    case 'negate':
      return negative(a);
    case 'root':
      return b.im === 0 && b.err === 0 && Number.isInteger(b.re) && b.re > 0
        ? rootOf(a, b.re)
        : raise(a, over(real(1, 0), b));
    case 'log':
      return logarithmTo(a, b);
    case 'binomial':
      return binomial(a, b);
    case 'modulo':
      return moduloOf(a, b);
    case 'max':
    case 'or':
      return extreme(values, 1);
    case 'min':
    case 'and':
      return extreme(values, -1);
    case 'gcd':
    case 'lcm':
      return undefinedValue;
  }
  const known = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (known) return known(a);
  return name.includes(' ') || name === 'antiderivative' ? anyFunction(name, values) : undefinedValue;
}

function extreme(values: readonly Complex[], sign: number): Complex {
  if (values.some(({ im }) => im !== 0)) return undefinedValue;
  return values.reduce((a, b) => (sign * a.re >= sign * b.re ? a : b));
}

/** Rational exponents with an odd denominator keep real numbers real. */
function power(base: Tree, exponent: Tree, point: Point, effort: Effort): Complex {
  if (base.kind === 'constant' && base.name === 'e') return functions.exp!(evaluate(exponent, point, effort));
  const value = evaluate(base, point, effort);
  if (value.im === 0 && value.re < 0) {
    const exact = exactValue(exponent, effort);
    if (exact && exact.d !== 1n && exact.d % 2n === 1n && exact.d < 1000n) {
      return raise(rootOf(value, Number(exact.d)), real(Number(exact.n), 0));
    }
  }
  return raise(value, evaluate(exponent, point, effort));
}

/** A smooth function that its name decides, so that equal arguments, however computed, give equal values. */
function anyFunction(name: string, args: readonly Complex[]): Complex {
  let [phase, err] = [7 * hashOf(name, args.length), 0];
  for (const [index, { re, im, err: own }] of args.entries()) {
    const factor = 0.5 + hashOf(name, 11 + index);
    phase += factor * re + (0.5 + hashOf(name, 31 + index)) * im;
    err += 2 * own + (Math.abs(re) + Math.abs(im)) * 2 ** -51;
  }
  return { re: Math.sin(phase) + 0.3 * Math.cos(1.7 * phase) + 0.1 * phase, im: 0, err: 2 * err + 2 ** -50 };
}

function determinant(tree: Tree, point: Point, effort: Effort): Complex {
  if (tree.kind !== 'matrix' || tree.rows.length > 12 || tree.rows.some((row) => row.length !== tree.rows.length))
    return undefinedValue;
  const rows = tree.rows.map((row) => row.map((entry) => evaluate(entry, point, effort)));
  let result: Complex = real(1, 0);
  for (let column = 0; column < rows.length; column += 1) {
    let best = column;
    for (let row = column + 1; row < rows.length; row += 1) {
      const size = (index: number) => Math.hypot(rows[index]![column]!.re, rows[index]![column]!.im);
      if (size(row) > size(best)) best = row;
    }
    const pivot = rows[best]!;
    [rows[best], rows[column]] = [rows[column]!, pivot];
    result = times(best === column ? result : negative(result), pivot[column]!);
    for (let row = column + 1; row < rows.length; row += 1) {
      const factor = over(rows[row]![column]!, pivot[column]!);
      effort.spend(rows.length);
      rows[row] = rows[row]!.map((entry, index) =>
        index <= column ? entry : plus(entry, negative(times(factor, pivot[index]!))),
      );
    }
  }
  return result;
}

/** Terms by which a sum without end must have settled: only what shrinks geometrically does. */
const mostEndless = 400;

function series({ name, variable, from, to, body }: Series, point: Point, effort: Effort): Complex {
  const first = evaluate(from, point, effort);
  const endless = to.kind === 'constant' && to.name === 'infinity';
  const last = endless ? real(first.re + mostEndless, 0) : evaluate(to, point, effort);
  if (first.im !== 0 || last.im !== 0) return undefinedValue;
  if (!Number.isInteger(first.re) || !Number.isInteger(last.re) || last.re - first.re > 3000) return undefinedValue;
  let total: Complex = real(name === 'sum' ? 0 : 1, 0);
  let settled = 0;
  const bound = new Map(point.bound);
  const inner: Point = { bound, index: point.index };
  for (let index = first.re; index <= last.re; index += 1) {
    bound.set(variable, real(index, 0));
    const term = evaluate(body, inner, effort);
    if (Number.isNaN(term.re)) return endless && settled > 3 ? total : undefinedValue;
    const before = total;
    total = name === 'sum' ? settling(total, term) : times(total, term);
    settled =
      Math.abs(total.re - before.re) + Math.abs(total.im - before.im) <= 1e-17 * Math.abs(total.re) ? settled + 1 : 0;
    if (endless && settled > 5) return total;
  }
  return endless ? undefinedValue : total;
}

/** Nodes and weights of Gauss and Legendre on [-1, 1], five points. */
const nodes = [-0.906179845938664, -0.5384693101056831, 0, 0.5384693101056831, 0.906179845938664];
const weights = [
  0.23692688505618908, 0.47862867049936647, 0.5688888888888889, 0.47862867049936647, 0.23692688505618908,
];

function integral({ variable, from, to, body }: Series, point: Point, effort: Effort): Complex {
  const [a, b] = [evaluate(from, point, effort), evaluate(to, point, effort)];
  if (Number.isNaN(a.re) || Number.isNaN(b.re) || a.im !== 0 || b.im !== 0) return undefinedValue;
  const bound = new Map(point.bound);
  const inner: Point = { bound, index: point.index };
  const rule = (panels: number): Complex => {
    let total: Complex = real(0, 0);
    const half = (b.re - a.re) / panels / 2;
    for (let panel = 0; panel < panels; panel += 1) {
      for (const [index, node] of nodes.entries()) {
        const x = a.re + half * (2 * panel + 1 + node);
        bound.set(variable, real(x));
        total = settling(total, times(evaluate(body, inner, effort), real(half * weights[index]!)));
      }
    }
    return total;
  };
  try {
    const [rough, fine] = [rule(12), rule(24)];
    const difference = Math.hypot(rough.re - fine.re, rough.im - fine.im);
    return difference > 1e-10 * (1 + Math.abs(fine.re)) ? undefinedValue : { ...fine, err: fine.err + difference };
  } catch (error) {
    if (error instanceof Exhausted) return undefinedValue;
    throw error;
  }
}
