import { apply, type Tree, whole } from './tree';

export type Rows = readonly (readonly Tree[])[];
const mostEntries = 400;

/** The entries of what is a matrix, or a sum, multiple or product of matrices; undefined for anything else. */
export function matrixOf(tree: Tree): Rows | undefined {
  if (tree.kind === 'matrix') return tree.rows;
  if (tree.kind === 'group' && tree.open === '[') {
    const rows = tree.items.map((item) => (item.kind === 'group' && item.open === '[' ? item.items : undefined));
    return rows.length > 0 && rows.every((row) => row !== undefined && row.length === rows[0]!.length)
      ? (rows as Rows)
      : undefined;
  }
  if (tree.kind !== 'apply') return undefined;
  const [left, right] = tree.args as [Tree, Tree];
  switch (tree.name) {
    case 'negate':
      return map(matrixOf(left), (entry) => apply('negate', entry));
    case 'divide':
      return map(matrixOf(left), (entry) => apply('divide', entry, right));
    case 'add':
    case 'subtract': {
      const [a, b] = [matrixOf(left), matrixOf(right)];
      if (!a || !b || a.length !== b.length || a[0]!.length !== b[0]!.length) return undefined;
      return a.map((row, y) => row.map((entry, x) => apply(tree.name, entry, b[y]![x]!)));
    }
    case 'multiply': {
      const [a, b] = [matrixOf(left), matrixOf(right)];
      if (a && b) return product(a, b);
      return a ? map(a, (entry) => apply('multiply', entry, right)) : map(b, (entry) => apply('multiply', left, entry));
    }
    case 'power': {
      const isTransposed = right.kind === 'symbol' && right.name === 'T';
      if (isTransposed && left.kind === 'group' && left.open !== '{' && !matrixOf(left))
        return left.items.map((item) => [item]);
      const base = matrixOf(left);
      if (!base) return undefined;
      if (isTransposed) return base[0]!.map((_, x) => base.map((row) => row[x]!));
      return right.kind === 'number' && right.value.n === 2n && right.value.d === 1n ? product(base, base) : undefined;
    }
    default:
      return undefined;
  }
}

const map = (rows: Rows | undefined, change: (entry: Tree) => Tree): Rows | undefined =>
  rows?.map((row) => row.map(change));

function product(a: Rows, b: Rows): Rows | undefined {
  if (a[0]!.length !== b.length || a.length * b[0]!.length * b.length > mostEntries) return undefined;
  return a.map((row) =>
    b[0]!.map((_, x) =>
      row.reduce<Tree>((sum, entry, k) => apply('add', sum, apply('multiply', entry, b[k]![x]!)), whole(0)),
    ),
  );
}
