import type { Apply, Tree } from './tree';

const signs: Readonly<Record<string, string>> = {
  add: ' + ',
  subtract: ' - ',
  multiply: '·',
  divide: '/',
  power: '^',
  plusMinus: ' ± ',
  minusPlus: ' ∓ ',
  modulo: ' mod ',
  residue: ' mod ',
  union: ' ∪ ',
  intersection: ' ∩ ',
  without: ' ∖ ',
};

/** A tree as a line for people. */
export function printTree(tree: Tree): string {
  switch (tree.kind) {
    case 'number':
      return tree.value.d === 1n ? `${tree.value.n}` : `${tree.value.n}/${tree.value.d}`;
    case 'symbol':
      return tree.name;
    case 'constant':
      return tree.name === 'infinity' ? '∞' : tree.name;
    case 'measure':
      return `${operand(tree.value)}${/^[%°]/.test(tree.unit.text) ? '' : ' '}${tree.unit.text}`;
    case 'list':
      return printItems(tree.items);
    case 'group':
      return `${tree.open}${printItems(tree.items)}${tree.close}`;
    case 'ratio':
      return tree.items.map(operand).join(':');
    case 'relation':
      return tree.operands
        .map((part, index) => (index === 0 ? '' : ` ${tree.operators[index - 1]} `) + printTree(part))
        .join('');
    case 'matrix':
      return `[${tree.rows.map((row) => `[${printItems(row)}]`).join(', ')}]`;
    case 'based':
      return `${tree.digits}_${tree.base}`;
    case 'builder':
      return `{${printTree(tree.element)} | ${printTree(tree.condition)}}`;
    case 'series':
      return `${tree.name}(${tree.variable} = ${printTree(tree.from)}..${printTree(tree.to)}, ${printTree(tree.body)})`;
    case 'apply':
      return printApply(tree);
  }
}

export const printItems = (items: readonly Tree[]): string => items.map(printTree).join(', ');

function printApply({ name, args, word }: Apply): string {
  if (word !== undefined) return word;
  const sign = Object.hasOwn(signs, name) ? signs[name] : undefined;
  if (name === 'negate') return `-${operand(args[0]!)}`;
  if (sign === undefined) return `${name.replace(/^(?:call|index) /, '')}(${printItems(args)})`;
  const isSum = name === 'add' || name === 'subtract';
  return args.length === 1 ? `${sign.trim()}${operand(args[0]!)}` : args.map(isSum ? printTree : operand).join(sign);
}

/** In brackets where it is a sum, or a fraction. */
function operand(tree: Tree): string {
  const text = printTree(tree);
  return /^[\w.]+$/.test(text) || (tree.kind !== 'apply' && tree.kind !== 'number') ? text : `(${text})`;
}
