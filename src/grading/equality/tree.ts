import type { Rational } from './rational';
import type { Unit } from './units';

/** What an answer was read as. Arithmetic is `apply` with the name of an operation; everything else is structure. */
export type Tree =
  | NumberTree
  | { readonly kind: 'symbol'; readonly name: string }
  | { readonly kind: 'constant'; readonly name: 'pi' | 'e' | 'i' | 'infinity' }
  | Apply
  | Group
  | List
  | Relation
  | { readonly kind: 'matrix'; readonly rows: readonly (readonly Tree[])[] }
  | { readonly kind: 'ratio'; readonly items: readonly Tree[] }
  | { readonly kind: 'based'; readonly digits: string; readonly base: number }
  | Measure
  | { readonly kind: 'builder'; readonly element: Tree; readonly condition: Tree }
  | Series;

export interface NumberTree {
  readonly kind: 'number';
  readonly value: Rational;
  /** Digits written after the point, where there was one; a repeating decimal has none. */
  readonly places?: number;
  /** Digits written, without leading zeros. */
  readonly digits: number;
}

export interface Apply {
  readonly kind: 'apply';
  readonly name: string;
  readonly args: readonly Tree[];
  /** The letters of a product that may as well be a word: "HTTH". */
  readonly word?: string;
}

/** `(1,2)`, `[0,1)`, `{1,2}`. */
export interface Group {
  readonly kind: 'group';
  readonly open: '(' | '[' | '{';
  readonly close: ')' | ']' | '}';
  readonly items: readonly Tree[];
}

/** Answers beside each other, unordered unless only a space or words that say so join them. */
export interface List {
  readonly kind: 'list';
  readonly items: readonly Tree[];
  readonly joint: ',' | 'and' | 'or' | ' ' | 'in order';
}

/** A chain: `1 < x <= 2`. One operator fewer than operands. */
export interface Relation {
  readonly kind: 'relation';
  readonly operands: readonly Tree[];
  readonly operators: readonly string[];
}

export interface Measure {
  readonly kind: 'measure';
  readonly value: Tree;
  readonly unit: Unit;
}

export interface Series {
  readonly kind: 'series';
  readonly name: 'sum' | 'prod' | 'int';
  readonly variable: string;
  readonly from: Tree;
  readonly to: Tree;
  readonly body: Tree;
}

export const apply = (name: string, ...args: Tree[]): Apply => ({ kind: 'apply', name, args });
export const whole = (value: number): NumberTree => ({
  kind: 'number',
  value: { n: BigInt(value), d: 1n },
  digits: String(value).length,
});

/** Parts of a tree, for walks that do not care what it is. */
export function partsOf(tree: Tree): readonly Tree[] {
  switch (tree.kind) {
    case 'apply':
      return tree.args;
    case 'group':
    case 'list':
    case 'ratio':
      return tree.items;
    case 'relation':
      return tree.operands;
    case 'matrix':
      return tree.rows.flat();
    case 'measure':
      return [tree.value];
    case 'builder':
      return [tree.element, tree.condition];
    case 'series':
      return [tree.from, tree.to, tree.body];
    default:
      return [];
  }
}

/** Names of the symbols that a tree leaves free, in order of appearance. */
export function symbolsOf(tree: Tree, found: Set<string> = new Set()): Set<string> {
  if (tree.kind === 'symbol') found.add(tree.name);
  else if (tree.kind === 'series') {
    symbolsOf(tree.from, found);
    symbolsOf(tree.to, found);
    const inner = symbolsOf(tree.body);
    inner.delete(tree.variable);
    for (const name of inner) found.add(name);
  } else for (const part of partsOf(tree)) symbolsOf(part, found);
  return found;
}

export function contains(tree: Tree, wanted: (tree: Tree) => boolean): boolean {
  return wanted(tree) || partsOf(tree).some((part) => contains(part, wanted));
}

export const isInfinity = (tree: Tree): boolean => tree.kind === 'constant' && tree.name === 'infinity';

export function isMinusOne(tree: Tree): boolean {
  return (
    tree.kind === 'apply' && tree.name === 'negate' && tree.args[0]!.kind === 'number' && tree.args[0].value.n === 1n
  );
}

export function listOf(items: readonly Tree[], joint: List['joint']): Tree {
  return items.length === 1 ? items[0]! : { kind: 'list', items, joint };
}

/** The parts of a list or a set in the order that counts, unless names tell them apart: `x=1, y=2`. */
export function inStatedOrder(tree: Tree): Tree {
  if (tree.kind !== 'list' && !(tree.kind === 'group' && tree.open === '{')) return tree;
  const names = tree.items.map((item) =>
    item.kind === 'relation' && item.operands[0]!.kind === 'symbol' ? item.operands[0]!.name : '',
  );
  const isNamed = !names.includes('') && new Set(names).size === names.length;
  return isNamed ? tree : listOf(tree.items, 'in order');
}
