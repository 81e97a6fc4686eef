import type { Effort } from './effort';
import { exactValue } from './exact';
import { distinct, sameItems } from './matching';
import { matrixOf } from './matrices';
import { compareMeasures, compareNothings, compareUnitSums } from './measures';
import { hasOpenSign, signChoices } from './plusMinus';
import { regionOf } from './regionOf';
import { sameRegion } from './regions';
import { compareRelations, distributed, solutionsIn } from './relations';
import { equalScalars, type Verdict } from './scalars';
import { orders } from './solve';
import { substitute } from './substitute';
import { type Apply, apply, type Group, type List, symbolsOf, type Tree } from './tree';
import { comparedUnits, withBaseUnits, withUnitSymbols } from './unitSymbols';
import { signatureOf } from './units';
import { all } from './verdicts';

/** Whether a prediction says what the gold answer says. Each kind of answer has rules of its own. */
export function compareTrees(gold: Tree, prediction: Tree, effort: Effort): Verdict {
  effort.spend();
  const equal = (a: Tree, b: Tree): Verdict => compareTrees(a, b, effort);
  if (hasOpenSign(gold) || hasOpenSign(prediction)) return compareOpenSigns(gold, prediction, effort);
  const ranges = inOneUnit(distributed(gold), distributed(prediction));
  if (!ranges) return false;
  const [a, b] = ranges;
  if (isWord(a) && isWord(b)) return a.word === b.word;
  const related = compareRelations(a, b, equal, effort);
  if (related !== 'unrelated') return related;
  if (a.kind === 'list' || b.kind === 'list') return compareLists(a, b, equal, effort);
  const matrices = compareMatrices(a, b, equal);
  if (matrices !== 'unrelated') return matrices;
  if (isRegion(a) || isRegion(b)) return compareRegions(a, b, equal, effort);
  if (a.kind === 'group' && b.kind === 'group') return compareGroups(a, b, equal, effort);
  if (a.kind === 'group' || b.kind === 'group') return loneItem(a, b, equal);
  if (a.kind === 'ratio' || b.kind === 'ratio') return compareRatios(a, b, effort);
  if (a.kind === 'based' || b.kind === 'based') return compareBases(a, b);
  const sums = compareUnitSums(a, b, effort);
  if (sums !== 'unrelated') return sums;
  if (a.kind === 'measure' || b.kind === 'measure') return compareMeasures(a, b, effort);
  const nothings = compareNothings(a, b, effort);
  if (nothings !== 'unrelated') return nothings;
  if (isResidue(a) && isResidue(b)) return compareResidues(a, b, effort);
  return equalScalars(a, sameConstant(a, b), effort);
}

const isWord = (tree: Tree): tree is Apply & { word: string } => tree.kind === 'apply' && tree.word !== undefined;

/** Ranges with units on both sides have their ends in one unit; undefined where the units measure different things. */
function inOneUnit(a: Tree, b: Tree): readonly [Tree, Tree] | undefined {
  if (!isRange(a) && !isRange(b)) return [a, b];
  const compared = comparedUnits(a, b);
  if (!compared) return [a, b];
  if (new Set(compared.units.map(signatureOf)).size > 1) return undefined;
  return [withBaseUnits(a), withBaseUnits(b)];
}

const isRange = (tree: Tree): boolean =>
  isRegion(tree) ||
  (tree.kind === 'relation' && tree.operators.every((operator) => orders.has(operator))) ||
  (tree.kind === 'list' && tree.items.some(isRange));

function compareOpenSigns(gold: Tree, prediction: Tree, effort: Effort): Verdict {
  const items = (tree: Tree): readonly Tree[] => {
    const inner = distributed(tree);
    if (inner.kind === 'list' || (inner.kind === 'group' && inner.open === '{')) return inner.items.flatMap(items);
    return hasOpenSign(inner) ? signChoices(inner) : [inner];
  };
  const listed = (tree: Tree): Tree => {
    const found = items(tree);
    return found.length === 1 ? found[0]! : { kind: 'list', items: found, joint: ',' };
  };
  return compareTrees(listed(gold), listed(prediction), effort);
}

/** Terms of a ratio beyond which it is not compared: each is held against each. */
const mostTerms = 40;

type Equal = (a: Tree, b: Tree) => Verdict;

const isSequence = ({ joint }: List) => joint === ' ' || joint === 'in order';

/**
 * Lists are unordered among themselves and with sets, ordered with tuples. Numbers without a comma are a sequence, and so
 * is what says that its order counts, even beside a set.
 */
function compareLists(a: Tree, b: Tree, equal: Equal, effort: Effort): Verdict {
  if (a.kind === 'list' && b.kind === 'list') {
    if (isSequence(a) || isSequence(b))
      return (
        a.items.length === b.items.length && all(a.items.length, (index) => equal(a.items[index]!, b.items[index]!))
      );
    const [left, right] = [solutionsIn(a), solutionsIn(b)];
    if (left && right) return sameItems(left, right, equal, effort);
    const grouped = [...a.items, ...b.items].every(({ kind }) => kind === 'group');
    const once = (items: readonly Tree[]) =>
      grouped && a.items.length !== b.items.length ? distinct(items, equal, effort) : items;
    return sameItems(once(a.items), once(b.items), equal, effort);
  }
  const [list, other] = a.kind === 'list' ? [a, b] : [b as typeof a & { kind: 'list' }, a];
  if (other.kind === 'group' && list.kind === 'list') {
    if (other.open === '{' && list.joint !== 'in order')
      return sameItems(distinct(list.items, equal, effort), distinct(other.items, equal, effort), equal, effort);
    if (
      other.open !== other.close.replace(')', '(').replace(']', '[').replace('}', '{') ||
      list.items.length !== other.items.length
    )
      return false;
    return all(list.items.length, (index) =>
      a === list ? equal(list.items[index]!, other.items[index]!) : equal(other.items[index]!, list.items[index]!),
    );
  }
  return false;
}

function compareMatrices(a: Tree, b: Tree, equal: Equal): Verdict | 'unrelated' {
  const [left, right] = [matrixOf(a), matrixOf(b)];
  if (!left && !right) return 'unrelated';
  const rows = (tree: Tree, other: readonly (readonly Tree[])[]): readonly (readonly Tree[])[] | undefined => {
    if (tree.kind !== 'group' || tree.open === '{') return undefined;
    if (other.every((row) => row.length === 1)) return tree.items.map((item) => [item]);
    return other.length === 1 ? [tree.items] : undefined;
  };
  const [x, y] = [left ?? rows(a, right!), right ?? rows(b, left!)];
  if (!x || !y) return a.kind === 'apply' || b.kind === 'apply' ? undefined : false;
  if (x.length !== y.length) return false;
  return all(x.length, (row) =>
    x[row]!.length === y[row]!.length
      ? all(x[row]!.length, (column) => equal(x[row]![column]!, y[row]![column]!))
      : false,
  );
}

const regionOperations = new Set(['union', 'intersection', 'without']);
/** What can be nothing but a part of the line, or of another set. */
const isRegion = (tree: Tree): boolean =>
  tree.kind === 'builder' ||
  (tree.kind === 'apply' && regionOperations.has(tree.name)) ||
  (tree.kind === 'symbol' && tree.name.startsWith('mathbb ')) ||
  (tree.kind === 'group' &&
    tree.items.length === 2 &&
    tree.open !== '{' &&
    tree.open !== (tree.close === ')' ? '(' : '['));

function compareRegions(a: Tree, b: Tree, equal: Equal, effort: Effort): Verdict {
  const [left, right] = [regionOf(a, effort), regionOf(b, effort)];
  if (left && right) return sameRegion(left, right, effort);
  if (a.kind === 'group' && b.kind === 'group') return compareGroups(a, b, equal, effort);
  if (a.kind === 'apply' && b.kind === 'apply' && a.name === b.name) {
    if (a.name === 'without') return all(2, (index) => equal(a.args[index]!, b.args[index]!));
    return sameItems(flattened(a, a.name), flattened(b, b.name), equal, effort);
  }
  if (a.kind === 'symbol' && b.kind === 'symbol') return a.name === b.name;
  return undefined;
}

const flattened = (tree: Tree, name: string): readonly Tree[] =>
  tree.kind === 'apply' && tree.name === name ? tree.args.flatMap((arg) => flattened(arg, name)) : [tree];

function compareGroups(a: Group, b: Group, equal: Equal, effort: Effort): Verdict {
  if (a.open === '{' || b.open === '{') {
    if (a.open !== b.open) return loneItem(a, b, equal);
    return sameItems(distinct(a.items, equal, effort), distinct(b.items, equal, effort), equal, effort);
  }
  if (a.items.length !== b.items.length) return false;
  const isMixed = ({ open, close }: Group) => (open === '(') !== (close === ')');
  if ((a.items.length === 2 || isMixed(a) || isMixed(b)) && (a.open !== b.open || a.close !== b.close)) return false;
  return all(a.items.length, (index) => equal(a.items[index]!, b.items[index]!));
}

/** A set of one is that one. */
function loneItem(a: Tree, b: Tree, equal: Equal): Verdict {
  if (a.kind === 'group' && a.items.length === 1) return equal(a.items[0]!, b);
  if (b.kind === 'group' && b.items.length === 1) return equal(a, b.items[0]!);
  return false;
}

function compareRatios(a: Tree, b: Tree, effort: Effort): Verdict {
  if (a.kind === 'ratio' && b.kind === 'ratio') {
    if (a.items.length !== b.items.length) return false;
    if (a.items.length > mostTerms) return undefined;
    const which = comparedUnits(a, b)?.which;
    const terms = ({ items }: typeof a) => (which ? items.map((item) => withUnitSymbols(item, which)) : items);
    const [left, right] = [terms(a), terms(b)];
    const hasZero = [...left, ...right].some((item) => exactValue(item, effort)?.n === 0n);
    if (hasZero) return all(left.length, (index) => equalScalars(left[index]!, right[index]!, effort));
    const pairs = left.flatMap((_, j) => left.slice(0, j).map((_, i) => [i, j] as const));
    return all(pairs.length, (index) => {
      const [i, j] = pairs[index]!;
      return equalScalars(apply('multiply', left[i]!, right[j]!), apply('multiply', left[j]!, right[i]!), effort);
    });
  }
  const quotient = (tree: Tree): Tree | undefined =>
    tree.kind !== 'ratio'
      ? tree
      : tree.items.length === 2
        ? apply('divide', tree.items[0]!, tree.items[1]!)
        : undefined;
  const [x, y] = [quotient(a), quotient(b)];
  return x && y ? equalScalars(x, y, effort) : false;
}

/** The subscript may be left out beside the same digits, but not be wrong. */
function compareBases(a: Tree, b: Tree): Verdict {
  if (a.kind === 'based' && b.kind === 'based') {
    return a.base === b.base
      ? a.digits.replace(/^0+(?=.)/, '') === b.digits.replace(/^0+(?=.)/, '')
      : a.base === 10 || b.base === 10
        ? valueIn(a) === valueIn(b)
        : false;
  }
  const [based, other] = a.kind === 'based' ? [a, b] : [b, a];
  if (based.kind !== 'based' || other.kind !== 'number' || !/^\d+$/.test(based.digits)) return false;
  return other.value.d === 1n && other.value.n === BigInt(based.digits);
}

function valueIn({ digits, base }: { readonly digits: string; readonly base: number }): bigint {
  return [...digits].reduce((value, digit) => value * BigInt(base) + BigInt(Number.parseInt(digit, 36)), 0n);
}

const isResidue = (tree: Tree): tree is Tree & { kind: 'apply' } => tree.kind === 'apply' && tree.name === 'residue';

function compareResidues(a: Tree & { kind: 'apply' }, b: Tree & { kind: 'apply' }, effort: Effort): Verdict {
  if (equalScalars(a.args[1]!, b.args[1]!, effort) !== true) return false;
  const rest = (tree: Tree & { kind: 'apply' }) => apply('modulo', tree.args[0]!, tree.args[1]!);
  return equalScalars(rest(a), rest(b), effort);
}

/** The constant of integration, a term of its own, is C or c. */
function sameConstant(a: Tree, b: Tree): Tree {
  const [left, right] = [symbolsOf(a), symbolsOf(b)];
  for (const [own, other] of [
    ['C', 'c'],
    ['c', 'C'],
    ['C', 'K'],
    ['C', 'k'],
    ['K', 'C'],
    ['k', 'C'],
  ] as const) {
    if (hasTerm(a, own) && !left.has(other) && hasTerm(b, other) && !right.has(own))
      return substitute(b, other, { kind: 'symbol', name: own });
  }
  return b;
}

/** Whether a sum has a symbol as one of its terms. */
const hasTerm = (tree: Tree, name: string): boolean =>
  tree.kind === 'apply' &&
  (tree.name === 'add' || tree.name === 'subtract') &&
  tree.args.some((arg) => (arg.kind === 'symbol' ? arg.name === name : hasTerm(arg, name)));
