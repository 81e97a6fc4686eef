import { cleanText } from './equality/cleanText';
import { Effort, Exhausted, Unread } from './equality/effort';
import { exactValue } from './equality/exact';
import type { Rational } from './equality/rational';
import { readTree } from './equality/readAnswer';
import type { Tree } from './equality/tree';

/** Longer texts are no answers, and big numbers take time. */
const longest = 400;

/** The rational number that a text writes out: `-3`, `1,234`, `0.75`, `3/4`, `\frac{3}{4}`. A sum to be worked out is none. */
export function literalNumber(text: string): Rational | undefined {
  if (text.length > longest) return undefined;
  const effort = new Effort(2000);
  try {
    const tree = readTree(cleanText(text), effort);
    return isLiteral(tree) ? exactValue(tree, effort) : undefined;
  } catch (error) {
    if (error instanceof Unread || error instanceof Exhausted) return undefined;
    throw error;
  }
}

function isLiteral(tree: Tree): boolean {
  if (tree.kind === 'number') return true;
  if (tree.kind !== 'apply') return false;
  if (tree.name === 'negate') return tree.args[0]!.kind === 'number' || isFraction(tree.args[0]!);
  return isFraction(tree);
}

const isFraction = (tree: Tree): boolean =>
  tree.kind === 'apply' &&
  tree.name === 'divide' &&
  tree.args.every(
    (part) =>
      part.kind === 'number' || (part.kind === 'apply' && part.name === 'negate' && part.args[0]!.kind === 'number'),
  );
