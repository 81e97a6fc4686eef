import type { Effort } from './effort';
import { exactValue } from './exact';
import { multiply } from './rational';
import type { Verdict } from './scalars';
import type { Tree } from './tree';
import { holdsUnit } from './unitSymbols';
import { signatureOf } from './units';

type Equal = (a: Tree, b: Tree) => Verdict;

/** Items beyond which only numbers are matched, by their value. */
const mostPairs = 60;

/** What certainly equal items share: a number and its unit. Undefined where only a comparison can tell. */
const keyOf = (tree: Tree, effort: Effort): string | undefined => {
  const [inner, unit] = tree.kind === 'measure' ? [tree.value, tree.unit] : [tree, undefined];
  if (unit?.vague || holdsUnit(inner)) return undefined;
  const number = exactValue(inner, effort);
  const value = number && unit ? multiply(number, unit.scale) : number;
  return value && `${value.n}/${value.d} ${unit ? signatureOf(unit) : ''}`;
};

/** Whether two lists hold the same items as often, in any order. Equality is taken for transitive. */
export function sameItems(a: readonly Tree[], b: readonly Tree[], equal: Equal, effort: Effort): Verdict {
  if (a.length !== b.length) return false;
  const keysB = b.map((tree) => keyOf(tree, effort));
  const free = new Map<string, number[]>();
  for (const [index, key] of keysB.entries()) {
    if (key !== undefined) free.set(key, [...(free.get(key) ?? []), index]);
  }
  const left = new Set(b.keys());
  const rest: Tree[] = [];
  for (const tree of a) {
    const key = keyOf(tree, effort);
    const index = key === undefined ? undefined : free.get(key)?.pop();
    if (index === undefined) rest.push(tree);
    else left.delete(index);
  }
  if (rest.length > mostPairs) {
    const isPlain = (tree: Tree) => tree.kind !== 'measure' && keyOf(tree, effort) !== undefined;
    return rest.every(isPlain) && b.every(isPlain) ? false : undefined;
  }
  let result: Verdict = true;
  for (const tree of rest) {
    let found: Verdict = false;
    for (const index of left) {
      const verdict = equal(tree, b[index]!);
      if (verdict === true) {
        found = true;
        left.delete(index);
        break;
      }
      if (verdict === undefined) found = undefined;
    }
    if (found === false) return false;
    if (found === undefined) result = undefined;
  }
  return result;
}

/** The items of a set, each once. */
export function distinct(items: readonly Tree[], equal: Equal, effort: Effort): readonly Tree[] {
  const keys = new Set<string>();
  const kept: Tree[] = [];
  for (const item of items) {
    const key = keyOf(item, effort);
    if (key !== undefined) {
      if (keys.has(key)) continue;
      keys.add(key);
    } else if (
      kept.length <= mostPairs &&
      kept.some((other) => (item.kind === 'measure') === (other.kind === 'measure') && equal(item, other) === true)
    )
      continue;
    kept.push(item);
  }
  return kept;
}
