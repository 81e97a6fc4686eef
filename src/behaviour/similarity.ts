import { type SyntaxTree, textOf } from './syntaxTree';

/** How often each node stands in a tree, and how many there are. */
export interface Shape {
  readonly counts: ReadonlyMap<string, number>;
  readonly nodes: number;
}

/** Trees at least this alike are two tries at one thing. */
export const usualSimilarity = 0.6;

/** A tree as a bag of nodes: each by its parent's kind, its own, and its text where nothing is below it. */
export function shapeOf(tree: SyntaxTree): Shape {
  const counts = new Map<string, number>();
  let nodes = 0;
  for (const node of tree.nodes) {
    // Keywords and punctuation begin with no capital.
    if (!node.parent || node.kind === 'Comment' || !/^[A-Z]/.test(node.kind)) continue;
    const own = node.children.length === 0 ? `${node.kind} ${textOf(tree, node)}` : node.kind;
    const key = `${node.parent.kind}>${own}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    nodes += 1;
  }
  return { counts, nodes };
}

/** Dice's coefficient of two bags of nodes, 0..1; 0 where either is empty. */
export function similarity(a: Shape, b: Shape): number {
  if (a.nodes === 0 || b.nodes === 0) return 0;
  let both = 0;
  for (const [key, count] of a.counts) both += Math.min(count, b.counts.get(key) ?? 0);
  return (2 * both) / (a.nodes + b.nodes);
}
