import { Exhausted } from './effort';
import { contains, type Tree } from './tree';

/** Signs that may be open in one expression: 2^5 values. */
const mostSigns = 5;

const isOpen = (tree: Tree): boolean =>
  tree.kind === 'apply' && (tree.name === 'plusMinus' || tree.name === 'minusPlus');
export const hasOpenSign = (tree: Tree): boolean => contains(tree, isOpen);

/** All values of an expression with open signs. Each ± is free, ∓ is the opposite of the ± before it. */
export function signChoices(tree: Tree): readonly Tree[] {
  let signs = 0;
  contains(tree, (part) => {
    if (part.kind === 'apply' && part.name === 'plusMinus') signs += 1;
    return false;
  });
  if (signs > mostSigns) throw new Exhausted('too many signs are open');
  return Array.from({ length: 2 ** Math.max(signs, 1) }, (_, choice) => {
    let index = -1;
    const walk = (part: Tree): Tree => {
      switch (part.kind) {
        case 'apply': {
          if (!isOpen(part)) return { ...part, args: part.args.map(walk) };
          const [left, right] =
            part.args.length === 2 ? [walk(part.args[0]!), part.args[1]!] : [undefined, part.args[0]!];
          if (part.name === 'plusMinus') index += 1;
          const minus = ((choice >> Math.max(index, 0)) & 1) === (part.name === 'plusMinus' ? 1 : 0);
          const value = walk(right);
          if (left) return { ...part, name: minus ? 'subtract' : 'add', args: [left, value] };
          return minus ? { ...part, name: 'negate', args: [value] } : value;
        }
        case 'relation':
          return { ...part, operands: part.operands.map(walk) };
        case 'group':
        case 'list':
        case 'ratio':
          return { ...part, items: part.items.map(walk) };
        case 'measure':
          return { ...part, value: walk(part.value) };
        case 'matrix':
          return { ...part, rows: part.rows.map((row) => row.map(walk)) };
        default:
          // A sign that stayed open would be opened again without end.
          if (hasOpenSign(part)) throw new Exhausted('a sign is open inside a sum or a condition');
          return part;
      }
    };
    return walk(tree);
  });
}
