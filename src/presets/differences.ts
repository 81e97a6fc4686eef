import { getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { presetOf } from './presets';
import type { SettingValue } from './settings';

/** A field that is not as its preset has it. */
export interface Difference {
  readonly path: string;
  /** Undefined where the file does not have the field. */
  readonly value: unknown;
  /** Undefined where the preset does not have it. */
  readonly preset: SettingValue | undefined;
  readonly why: string;
  /** Where the value ends in the text, characters; undefined where the file does not have it. */
  readonly end: number | undefined;
}

/** Fields that do not count as a change: they say which experiment it is. */
const own = new Set(['$schema', '$preset', 'name', 'description']);

/** The name of the preset that an experiment began as, whatever else is wrong with the text. */
export function presetNameIn(text: string): string | undefined {
  const root = parseTree(text);
  const name = root?.type === 'object' ? (getNodeValue(root) as Record<string, unknown>).$preset : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** What a text says otherwise than its preset. @throws RetoolError `usage` where there is no preset of that name. */
export function differencesFrom(name: string, text: string): Difference[] {
  const { settings } = presetOf(name);
  const root = parseTree(text);
  const written = new Map(root ? leavesOf(root, []) : []);
  const known = new Map(settings.map((setting) => [setting.path, setting]));
  const changed = settings.flatMap(({ path, value, why }): Difference[] => {
    const node = written.get(path);
    if (node && JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) return [];
    const end = node && node.offset + node.length;
    return [{ path, value: node && getNodeValue(node), preset: value, why, end }];
  });
  const added = [...written].flatMap(([path, node]): Difference[] =>
    known.has(path) || own.has(path.split('.')[0]!)
      ? []
      : [{ path, value: getNodeValue(node), preset: undefined, why: '', end: node.offset + node.length }],
  );
  return [...changed, ...added];
}

/** Every field that holds no object, by its path. */
function leavesOf(node: Node, path: readonly string[]): [string, Node][] {
  if (node.type !== 'object' || (path.length > 0 && (node.children ?? []).length === 0))
    return [[path.join('.'), node]];
  return (node.children ?? []).flatMap(({ children }) =>
    children?.[1] ? leavesOf(children[1], [...path, String(children[0]!.value)]) : [],
  );
}
