import type { Cursor } from './cursor';
import { numberOf } from './numberOf';
import { apply, type Tree, whole } from './tree';
import { degree } from './units';

/** Degrees, then minutes and seconds of arc where they follow. */
export function parseDegrees(parser: Cursor, tree: Tree): Tree {
  let value = tree;
  for (const size of [60, 3600]) {
    const mark = parser.ahead(1)?.text;
    if (parser.next?.type !== 'number' || mark !== "'") break;
    const part = numberOf(parser.take());
    const seconds = parser.ahead(1)?.text === "'";
    parser.take();
    if (seconds) parser.take();
    value = apply('add', value, apply('divide', part, whole(seconds ? 3600 : size)));
  }
  return { kind: 'measure', value, unit: degree };
}
