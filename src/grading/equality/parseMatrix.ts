import type { Cursor } from './cursor';
import { Unread } from './effort';
import { apply, type Tree } from './tree';

/** Reads on from after `\begin`. */
export function parseMatrix(parser: Cursor): Tree {
  const name = environment(parser);
  if (!/^(?:[pbvVB]?matrix|smallmatrix|array|cases|aligned?|gathered)\*?$/.test(name))
    throw new Unread(`\\begin{${name}} is unknown`);
  if (name.startsWith('array') && parser.accept('{')) {
    while (!parser.accept('}')) parser.take();
  }
  const rows = parser.within(() => readRows(parser));
  if (environment(parser) !== name) throw new Unread(`\\begin{${name}} does not end`);
  const matrix: Tree = { kind: 'matrix', rows };
  return name.startsWith('vmatrix') ? apply('det', matrix) : matrix;
}

function environment(parser: Cursor): string {
  parser.expect('{');
  let name = '';
  while (!parser.accept('}')) name += parser.take().text;
  return name.replaceAll('\\', '');
}

function readRows(parser: Cursor): Tree[][] {
  const rows: Tree[][] = [];
  let row: Tree[] = [];
  for (;;) {
    while (parser.accept('\\hline'));
    if (parser.accept('\\end')) break;
    if (parser.accept('\ue001')) {
      if (row.length > 0) rows.push(row);
      row = [];
    } else if (parser.accept('&')) {
    } else row.push(parser.list());
  }
  if (row.length > 0) rows.push(row);
  return rows;
}
