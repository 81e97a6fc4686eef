import type { Effort } from './effort';
import {
  complement,
  type End,
  endAt,
  intersection,
  minusInfinity,
  plusInfinity,
  type Region,
  union,
  wholeLine,
} from './regions';
import { equalScalars, realValue } from './scalars';
import { substitute } from './substitute';
import { apply, type Relation, symbolsOf, type Tree, whole } from './tree';

export const orders = new Set(['<', '≤', '>', '≥', '≠']);
const flipped: Readonly<Record<string, string>> = { '<': '>', '≤': '≥', '>': '<', '≥': '≤', '≠': '≠', '=': '=' };

/** A name for a value: a symbol, or a function of symbols. */
export const isName = (tree: Tree): boolean =>
  tree.kind === 'symbol' ||
  (tree.kind === 'apply' &&
    tree.name.startsWith('call ') &&
    tree.args.every((arg) => arg.kind === 'symbol' || arg.kind === 'number'));

export const nameOf = (tree: Tree): string =>
  tree.kind === 'symbol'
    ? tree.name
    : JSON.stringify(tree, (_, value) => (typeof value === 'bigint' ? String(value) : value));

/** Where on the line an inequality in one unknown holds, for linear and quadratic ones and absolute values of linear ones. */
export function solve(
  relation: Relation,
  effort: Effort,
): { readonly variable: string; readonly region: Region } | undefined {
  const variable = unknownOf(relation);
  if (variable === undefined) return undefined;
  let region: Region = wholeLine;
  for (const [index, operator] of relation.operators.entries()) {
    if (!Object.hasOwn(flipped, operator)) return undefined;
    const part = solvePair(relation.operands[index]!, operator, relation.operands[index + 1]!, variable, effort);
    if (!part) return undefined;
    region = intersection(region, part);
  }
  return { variable, region };
}

function unknownOf({ operands }: Relation): string | undefined {
  const names = new Set<string>();
  for (const operand of operands) {
    if (isName(operand)) names.add(nameOf(operand));
    else for (const name of symbolsOf(operand)) names.add(name);
  }
  return names.size === 1 ? [...names][0] : undefined;
}

const involves = (tree: Tree, variable: string) =>
  isName(tree) ? nameOf(tree) === variable : symbolsOf(tree).has(variable);

function solvePair(left: Tree, operator: string, right: Tree, variable: string, effort: Effort): Region | undefined {
  if (!involves(left, variable)) {
    return involves(right, variable) ? solvePair(right, flipped[operator]!, left, variable, effort) : undefined;
  }
  if (involves(right, variable)) return solvePolynomial(apply('subtract', left, right), operator, variable, effort);
  if (isName(left)) return beyond(right, operator, effort);
  if (left.kind === 'apply' && left.name === 'absolute')
    return solveAbsolute(left.args[0]!, operator, right, variable, effort);
  return solvePolynomial(apply('subtract', left, right), operator, variable, effort);
}

/** Where x stands in the relation to a value. */
function beyond(value: Tree, operator: string, effort: Effort): Region | undefined {
  const closed = operator === '≤' || operator === '≥' || operator === '=';
  const end = endAt(value, closed, effort);
  if (!end) return undefined;
  return fromEnd(end, operator);
}

function fromEnd(end: End, operator: string): Region {
  switch (operator) {
    case '<':
    case '≤':
      return [{ low: minusInfinity, high: end }];
    case '>':
    case '≥':
      return [{ low: end, high: plusInfinity }];
    case '=':
      return [{ low: end, high: end }];
    default:
      return complement([{ low: { ...end, closed: true }, high: { ...end, closed: true } }]);
  }
}

function solveAbsolute(
  inner: Tree,
  operator: string,
  bound: Tree,
  variable: string,
  effort: Effort,
): Region | undefined {
  const size = realValue(bound, effort);
  if (size === undefined || size < 0) return undefined;
  const upper = solvePair(inner, operator, bound, variable, effort);
  const lower = solvePair(inner, flipped[operator]!, apply('negate', bound), variable, effort);
  if (!upper || !lower) return undefined;
  return operator === '<' || operator === '≤' || operator === '≠' ? intersection(upper, lower) : union(upper, lower);
}

/** Coefficients are differences of values at 0, 1, 2, so that they stay exact trees. */
function solvePolynomial(tree: Tree, operator: string, variable: string, effort: Effort): Region | undefined {
  const at = (x: number) => substitute(tree, variable, whole(x));
  const [zero, first, second] = [at(0), at(1), at(2)];
  const c = zero;
  const a = apply(
    'divide',
    apply('add', apply('subtract', second, apply('multiply', whole(2), first)), zero),
    whole(2),
  );
  const b = apply('subtract', apply('subtract', first, zero), a);
  const x: Tree = { kind: 'symbol', name: variable };
  const square = apply('multiply', a, apply('power', x, whole(2)));
  if (equalScalars(tree, apply('add', square, apply('add', apply('multiply', b, x), c)), effort) !== true)
    return undefined;
  const [leading, slope] = [realValue(a, effort), realValue(b, effort)];
  if (leading === undefined || slope === undefined) return undefined;
  if (leading === 0) {
    if (slope === 0) return undefined;
    return beyond(apply('divide', apply('negate', c), b), slope > 0 ? operator : flipped[operator]!, effort);
  }
  const discriminant = apply(
    'subtract',
    apply('power', b, whole(2)),
    apply('multiply', whole(4), apply('multiply', a, c)),
  );
  const size = realValue(discriminant, effort);
  if (size === undefined || size <= 0) return undefined;
  const twice = apply('multiply', whole(2), a);
  const root = (name: string) =>
    apply('divide', apply(name, apply('negate', b), apply('root', discriminant, whole(2))), twice);
  const [small, large] = leading > 0 ? [root('subtract'), root('add')] : [root('add'), root('subtract')];
  const sign = leading > 0 ? operator : flipped[operator]!;
  const upper = beyond(large, sign, effort);
  const lower = beyond(small, flipped[sign]!, effort);
  if (!upper || !lower) return undefined;
  return sign === '<' || sign === '≤' || sign === '≠' ? intersection(upper, lower) : union(upper, lower);
}
