import type { Effort } from './effort';
import { exactValue } from './exact';
import type { Verdict } from './scalars';
import type { Tree } from './tree';

type Equal = (a: Tree, b: Tree) => Verdict;

/** Items beyond which only numbers are matched, by their value. */
const mostPairs = 60;

const keyOf = (tree: Tree, effort: Effort): string | undefined => {
  const value = exactValue(tree, effort);
  return value && `${value.n}/${value.d}`;
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
  if (rest.length > mostPairs)
    return keysB.every((key) => key !== undefined) && rest.every((tree) => keyOf(tree, effort) !== undefined)
      ? false
      : undefined;
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
    } else if (kept.length <= mostPairs && kept.some((other) => equal(item, other) === true)) continue;
    kept.push(item);
  }
  return kept;
}
