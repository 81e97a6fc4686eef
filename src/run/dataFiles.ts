import { resolve } from 'node:path';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { isHubName } from '../hub/hubName';
import { exists } from '../journal/runFolder';
import type { Experiment } from '../schema/experiment';

/** A file that an experiment names. */
export interface DataFile {
  readonly location: readonly string[];
  /** For example `data.train`. */
  readonly field: string;
  /** As the experiment names it: relative to its file. */
  readonly path: string;
  /** Where it stands in the text, characters. */
  readonly offset: number;
  readonly length: number;
}

const locations = [
  ['data', 'train'],
  ['data', 'evaluation'],
  ['coldStart', 'demonstrations'],
];

/** The files that the text of an experiment names, whatever else is wrong with it. */
export function dataFilesIn(text: string): DataFile[] {
  const root = parseTree(text);
  return locations.flatMap((location) => {
    const node = root && findNodeAtLocation(root, location);
    if (typeof node?.value !== 'string' || node.value === '') return [];
    return [{ location, field: location.join('.'), path: node.value, offset: node.offset, length: node.length }];
  });
}

/** The files that an experiment names. */
export const namedFiles = ({ data, coldStart }: Experiment): { readonly field: string; readonly path: string }[] =>
  [
    { field: 'data.train', path: data.train },
    { field: 'data.evaluation', path: data.evaluation },
    { field: 'coldStart.demonstrations', path: coldStart?.demonstrations },
  ].filter((file): file is { field: string; path: string } => file.path !== undefined);

/** Those of a disk that are not there; what a hub has is fetched. @param folder that their paths are relative to. */
export async function missingAmong<T extends { readonly path: string }>(
  files: readonly T[],
  folder: string,
): Promise<T[]> {
  const there = await Promise.all(files.map(({ path }) => isHubName(path) || exists(resolve(folder, path))));
  return files.filter((_, i) => !there[i]);
}
