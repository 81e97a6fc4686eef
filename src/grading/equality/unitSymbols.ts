import { apply, type Measure, partsOf, type Tree } from './tree';
import { isSized, signatureOf, type Unit } from './units';

/** Percent and degrees are numbers, and what is vague says nothing. */
const counts = ({ dimension, vague, turn }: Unit): boolean =>
  turn !== '' || (!vague && dimension !== 'percent' && dimension !== 'angle1' && dimension !== 'radian1');

type Which = (unit: Unit) => boolean;

/** The units in a tree that are looked for. */
function unitsIn(tree: Tree, which: Which, found: Unit[] = []): readonly Unit[] {
  if (tree.kind === 'measure' && which(tree.unit)) found.push(tree.unit);
  for (const part of partsOf(tree)) unitsIn(part, which, found);
  return found;
}

/**
 * The units of two trees that keep their values apart; or else, where both say no more, "units" and "square units".
 * Undefined where a side has none.
 */
export function comparedUnits(
  a: Tree,
  b: Tree,
): { readonly units: readonly Unit[]; readonly which: Which } | undefined {
  for (const which of [counts, isSized]) {
    const [left, right] = [unitsIn(a, which), unitsIn(b, which)];
    if (left.length > 0 && right.length > 0) return { units: [...left, ...right], which };
  }
  return undefined;
}

export const holdsUnit = (tree: Tree): boolean =>
  tree.kind === 'measure' ? counts(tree.unit) || holdsUnit(tree.value) : partsOf(tree).some(holdsUnit);

const scaleKey = (unit: Unit) => `${signatureOf(unit)} ${unit.scale.n}/${unit.scale.d}`;

/** Whether all are one unit in one scale. */
export function onlyUnit(units: readonly Unit[]): boolean {
  return new Set(units.map(scaleKey)).size === 1;
}

/** A sum of lengths and weights with each unit as a factor: a symbol per dimension, times the scale. */
export function withUnitSymbols(tree: Tree, which: Which): Tree {
  if (tree.kind === 'apply') return apply(tree.name, ...tree.args.map((arg) => withUnitSymbols(arg, which)));
  if (tree.kind !== 'measure' || !which(tree.unit)) return tree;
  const { dimension, turn, of } = tree.unit;
  const names = [...(dimension.startsWith('noun ') ? [dimension] : dimension.split(' ')), turn, of];
  return names.filter((name) => name !== '').reduce<Tree>(timesSymbol, inBaseUnit(tree));
}

function timesSymbol(value: Tree, name: string): Tree {
  const [, base, exponent] = /^(\D+?)\^?(-?\d+)?$/.exec(name) ?? [name, name];
  const symbol: Tree = { kind: 'symbol', name: `unit ${base}` };
  if (exponent === undefined) return apply('multiply', value, symbol);
  const count = Number(exponent);
  const size: Tree = { kind: 'number', value: { n: BigInt(Math.abs(count)), d: 1n }, digits: 1 };
  return apply(count < 0 ? 'divide' : 'multiply', value, apply('power', symbol, size));
}

/** Every value in its dimension's own unit, without that. */
export function withBaseUnits(tree: Tree): Tree {
  switch (tree.kind) {
    case 'measure':
      return counts(tree.unit) ? inBaseUnit(tree) : tree;
    case 'apply':
      return { ...tree, args: tree.args.map(withBaseUnits) };
    case 'group':
    case 'list':
      return { ...tree, items: tree.items.map(withBaseUnits) };
    case 'relation':
      return { ...tree, operands: tree.operands.map(withBaseUnits) };
    case 'builder':
      return { ...tree, element: withBaseUnits(tree.element), condition: withBaseUnits(tree.condition) };
    default:
      return tree;
  }
}

/** A value in the dimension's own unit. */
export function inBaseUnit({ value, unit }: Measure): Tree {
  if (unit.scale.n === 1n && unit.scale.d === 1n) return value;
  return apply('multiply', value, { kind: 'number', value: unit.scale, digits: 1 });
}
