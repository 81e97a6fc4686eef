import type { Cursor } from './cursor';
import { numberOf } from './numberOf';
import { apply, type Tree, whole } from './tree';
import { degree, readUnit } from './units';

const temperatures: Readonly<Record<string, string>> = { C: 'celsius', F: 'fahrenheit', K: 'kelvin' };

/** Degrees of a temperature, where its letter or name follows; or else of an angle, with its minutes and seconds. */
export function parseDegrees(parser: Cursor, tree: Tree): Tree {
  const { next } = parser;
  const after = parser.ahead(1);
  const name = next && after?.type !== 'name' && after?.type !== 'number' ? (temperatures[next.text] ?? next.text) : '';
  if (/^(?:celsius|fahrenheit|kelvin)$/i.test(name)) {
    parser.take();
    return { kind: 'measure', value: tree, unit: { ...readUnit(name).unit!, text: `°${name[0]!.toUpperCase()}` } };
  }
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
