import type { Tree } from './tree';

/** A quotient of two plain whole numbers between 0 and 1. */
export function isProperFraction(tree: Tree): boolean {
  if (tree.kind !== 'apply' || tree.name !== 'divide') return false;
  const [above, below] = tree.args as [Tree, Tree];
  if (above.kind !== 'number' || below.kind !== 'number') return false;
  if (above.places !== undefined || below.places !== undefined) return false;
  return above.value.d === 1n && below.value.d === 1n && above.value.n > 0n && above.value.n < below.value.n;
}
