import type { Cursor } from './cursor';
import { Unread } from './effort';
import { apply, type Tree } from './tree';

/** Reads on from after `\sum`, `\prod`, `\int` or `\lim`. */
export function parseSeries(parser: Cursor, name: 'sum' | 'prod' | 'int' | 'lim'): Tree {
  let below: Tree | undefined;
  let above: Tree | undefined;
  while (parser.is('_') || parser.is('^')) {
    if (parser.accept('_')) below = parser.within(() => limit(parser));
    else {
      parser.take();
      above = parser.within(() => limit(parser));
    }
  }
  if (name === 'int') return integral(parser, below, above);
  const body = parser.within(() => parser.term());
  if (name === 'lim') return apply('limit', body, ...(below ? [below] : []));
  if (below?.kind !== 'relation' || below.operators[0] !== '=' || !above)
    throw new Unread('the range of a sum is not clear');
  const [variable, from] = below.operands as [Tree, Tree];
  if (variable.kind !== 'symbol') {
    // i is the imaginary unit everywhere but here.
    if (variable.kind !== 'constant') throw new Unread('the range of a sum is not clear');
    return { kind: 'series', name, variable: 'i', from, to: above, body: renamed(body) };
  }
  return { kind: 'series', name, variable: variable.name, from, to: above, body };
}

function limit(parser: Cursor): Tree {
  if (parser.accept('-')) return apply('negate', parser.argument());
  return parser.argument();
}

function renamed(tree: Tree): Tree {
  if (tree.kind === 'constant' && tree.name === 'i') return { kind: 'symbol', name: 'i' };
  if (tree.kind === 'apply') return { ...tree, args: tree.args.map(renamed) };
  return tree;
}

function integral(parser: Cursor, from: Tree | undefined, to: Tree | undefined): Tree {
  parser.integrals += 1;
  const body = parser.within(() => parser.sum());
  parser.integrals -= 1;
  const found = splitDifferential(body);
  if (!found) throw new Unread('an integral names no variable');
  if (from && to) return { kind: 'series', name: 'int', variable: found.variable, from, to, body: found.body };
  return apply('antiderivative', found.body, { kind: 'symbol', name: found.variable });
}

/** `f(x) dx` was read as the product f(x)·d·x. */
function splitDifferential(tree: Tree): { body: Tree; variable: string } | undefined {
  if (tree.kind !== 'apply') return undefined;
  const [left, right] = tree.args as [Tree, Tree];
  if (tree.name === 'multiply' && right.kind === 'symbol') {
    if (left.kind === 'symbol' && left.name === 'd')
      return { body: { kind: 'number', value: { n: 1n, d: 1n }, digits: 1 }, variable: right.name };
    if (left.kind === 'apply' && left.name === 'multiply') {
      const [body, d] = left.args as [Tree, Tree];
      if (d.kind === 'symbol' && d.name === 'd') return { body, variable: right.name };
    }
  }
  if (tree.name === 'add' || tree.name === 'subtract') {
    const inner = splitDifferential(right);
    return inner && { body: apply(tree.name, left, inner.body), variable: inner.variable };
  }
  return undefined;
}
