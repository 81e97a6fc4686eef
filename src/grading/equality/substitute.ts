import type { Tree } from './tree';

/** The tree with `value` in the place of a symbol. */
export function substitute(tree: Tree, name: string, value: Tree): Tree {
  switch (tree.kind) {
    case 'symbol':
      return tree.name === name ? value : tree;
    case 'apply':
      return { ...tree, args: tree.args.map((arg) => substitute(arg, name, value)) };
    case 'measure':
      return { ...tree, value: substitute(tree.value, name, value) };
    case 'group':
    case 'list':
    case 'ratio':
      return { ...tree, items: tree.items.map((item) => substitute(item, name, value)) };
    case 'relation':
      return { ...tree, operands: tree.operands.map((operand) => substitute(operand, name, value)) };
    case 'series':
      return tree.variable === name
        ? tree
        : {
            ...tree,
            from: substitute(tree.from, name, value),
            to: substitute(tree.to, name, value),
            body: substitute(tree.body, name, value),
          };
    default:
      return tree;
  }
}
