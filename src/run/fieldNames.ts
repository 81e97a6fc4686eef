import type { JSONPath } from 'jsonc-parser';
import * as z from 'zod';
import { nearest } from '../lib/nearest';
import { Experiment } from '../schema/experiment';

interface Fields {
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Fields>>;
}

let known: Fields | undefined;

/**
 * What was meant by a field that experiments do not have: a sibling with a similar name, or the object (`home`) in which
 * a field of that name belongs.
 */
export function meantBy(path: JSONPath): { readonly meant?: string; readonly home?: string } {
  known ??= z.toJSONSchema(Experiment, { io: 'input' }) as Fields;
  const name = String(path.at(-1));
  let parent: Fields | undefined = known;
  for (const key of path.slice(0, -1)) parent = parent?.properties?.[key];
  const meant = nearest(name, Object.keys(parent?.properties ?? {}));
  if (meant !== undefined) return { meant };
  const [home] = homesOf(name, known, []);
  return home === undefined ? {} : { home: home === '' ? 'the outermost object' : home };
}

/** What a field is, in a sentence, with its bounds. Empty where there is no such field. */
export function describeField(path: JSONPath): string {
  known ??= z.toJSONSchema(Experiment, { io: 'input' }) as Fields;
  let field: Fields | undefined = known;
  for (const key of path) field = field?.properties?.[key];
  const { description = '', minimum, maximum } = field ?? {};
  const bounds = [
    minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? `≥ ${minimum}` : '',
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? `≤ ${maximum}` : '',
  ].filter(Boolean);
  return bounds.length > 0 ? `${description} (${bounds.join(', ')})` : description;
}

function homesOf(name: string, { properties = {} }: Fields, path: readonly string[]): string[] {
  const below = Object.entries(properties).flatMap(([key, fields]) => homesOf(name, fields, [...path, key]));
  return name in properties ? [path.join('.'), ...below] : below;
}
