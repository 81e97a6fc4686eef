import { printItems, printTree } from './printTree';
import type { Answer } from './readAnswer';
import { orders } from './solve';
import { symbolsOf, type Tree } from './tree';

/** What a side was read as, for people: "the number 3/4", "a list of 2: 5 cm, 3 kg". */
export function describe(answer: Answer): string {
  const { plain, choice, time } = answer;
  if (plain === '') return 'nothing';
  if (choice && choice.letters.length === 1) return `the choice ${choice.letters}`;
  if (time?.marked) return `the time ${plain}`;
  if (answer.tree) return describeTree(answer.tree);
  if (answer.words !== undefined) return `the words "${shortened(answer.words)}"`;
  return `not understood: ${answer.problem}`;
}

const shortened = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

const counted = (items: readonly Tree[]) => `${items.length}: ${shortened(printItems(items))}`;

function describeTree(tree: Tree): string {
  switch (tree.kind) {
    case 'number':
      return `the number ${shortened(printTree(tree))}`;
    case 'symbol':
      return tree.name.startsWith('mathbb ') ? `the set ${tree.name.slice(7)}` : `the symbol ${tree.name}`;
    case 'constant':
      return `the constant ${tree.name}`;
    case 'list':
      return `a list of ${counted(tree.items)}`;
    case 'group':
      if (tree.open === '{') return tree.items.length === 0 ? 'the empty set' : `a set of ${counted(tree.items)}`;
      return tree.items.length === 2
        ? `a pair or interval: ${shortened(printTree(tree))}`
        : `a tuple of ${counted(tree.items)}`;
    case 'relation': {
      const kind = tree.operators.every((operator) => orders.has(operator)) ? 'an inequality' : 'an equation';
      return `${kind}: ${shortened(printTree(tree))}`;
    }
    case 'matrix':
      return `a matrix of ${tree.rows.length} by ${tree.rows[0]?.length ?? 0}: ${shortened(printTree(tree))}`;
    case 'ratio':
      return `a ratio: ${shortened(printTree(tree))}`;
    case 'based':
      return `the number ${tree.digits} in base ${tree.base}`;
    case 'measure':
      return `${describeTree(tree.value)} with the unit ${shortened(tree.unit.text)}`;
    case 'builder':
      return 'a set by condition';
    default: {
      if (tree.kind === 'apply' && tree.word !== undefined) return `the letters ${shortened(tree.word)}`;
      const names = [...symbolsOf(tree)];
      return names.length === 0 ? 'a numeric expression' : `an expression in ${shortened(names.join(', '))}`;
    }
  }
}
