import type { Cursor } from './cursor';
import { Unread } from './effort';
import { apply, type Tree } from './tree';

const isD = (tree: Tree): boolean => tree.kind === 'symbol' && (tree.name === 'd' || tree.name === 'partial');

/** What stands behind d, as text: "y", "2 y" for d²y. Undefined where the tree is no differential of a letter. */
function differentialOf(tree: Tree): string | undefined {
  if (tree.kind !== 'apply' || tree.name !== 'multiply') return undefined;
  const [head, tail] = tree.args as [Tree, Tree];
  if (isD(head)) return letter(tail);
  const isPower = head.kind === 'apply' && head.name === 'power' && isD(head.args[0]!);
  const order = isPower ? letter(head.args[1]!) : undefined;
  const name = letter(tail);
  return order !== undefined && name !== undefined ? `${order} ${name}` : undefined;
}

function letter(tree: Tree): string | undefined {
  if (tree.kind === 'symbol') return tree.name;
  if (tree.kind === 'number') return String(tree.value.n);
  if (tree.kind !== 'apply' || tree.name !== 'power') return undefined;
  const [base, exponent] = tree.args.map(letter);
  return base !== undefined && exponent !== undefined ? `${base}^${exponent}` : undefined;
}

/** `\frac{dy}{dx}` is one name, no quotient of letters. @throws Unread for `\frac{d}{dx}`, which is yet to be worked out. */
export function quotientOfDifferentials(above: Tree, below: Tree): Tree | undefined {
  const by = differentialOf(below);
  if (by === undefined) return undefined;
  if (isD(above)) throw new Unread('it is a derivative that was not worked out');
  const of = differentialOf(above);
  return of === undefined ? undefined : { kind: 'symbol', name: `d ${of}/d ${by}` };
}

/** `dy/dx` on one line; the sign has been taken. */
export function derivative(parser: Cursor, above: Tree): Tree | undefined {
  if (parser.next?.text !== 'd' || parser.ahead(1)?.type !== 'name' || parser.ahead(1)?.spaced) return undefined;
  if (differentialOf(above) === undefined) return undefined;
  return parser.attempt(() => quotientOfDifferentials(above, apply('multiply', parser.factor(), parser.factor())));
}
