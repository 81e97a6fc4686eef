import type { Answer } from './readAnswer';
import { orders } from './solve';
import { symbolsOf, type Tree } from './tree';

/** What a side was read as, for people: "the number 3/4", "a list of 3". */
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

function describeTree(tree: Tree): string {
  switch (tree.kind) {
    case 'number': {
      const text = tree.value.d === 1n ? `${tree.value.n}` : `${tree.value.n}/${tree.value.d}`;
      return `the number ${shortened(text)}`;
    }
    case 'symbol':
      return tree.name.startsWith('mathbb ') ? `the set ${tree.name.slice(7)}` : `the symbol ${tree.name}`;
    case 'constant':
      return `the constant ${tree.name}`;
    case 'list':
      return `a list of ${tree.items.length}`;
    case 'group':
      if (tree.open === '{') return tree.items.length === 0 ? 'the empty set' : `a set of ${tree.items.length}`;
      return tree.items.length === 2
        ? `a pair or interval ${tree.open} ${tree.close}`
        : `a tuple of ${tree.items.length}`;
    case 'relation':
      return tree.operators.every((operator) => orders.has(operator)) ? 'an inequality' : 'an equation';
    case 'matrix':
      return `a matrix of ${tree.rows.length} by ${tree.rows[0]?.length ?? 0}`;
    case 'ratio':
      return `a ratio of ${tree.items.length}`;
    case 'based':
      return `the number ${tree.digits} in base ${tree.base}`;
    case 'measure':
      return `${describeTree(tree.value)} with the unit ${tree.unit.dimension.replaceAll(/1(?= |$)/g, '')}`;
    case 'builder':
      return 'a set by condition';
    default: {
      const names = [...symbolsOf(tree)];
      return names.length === 0 ? 'a numeric expression' : `an expression in ${shortened(names.join(', '))}`;
    }
  }
}
