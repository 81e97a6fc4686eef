import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import type { Experiment } from '../../schema/experiment';

export interface DataFile {
  /** For example `data.train`. */
  readonly field: string;
  /** As the experiment names it: relative to its file. */
  readonly path: string;
  /** Where it stands in the text, characters. */
  readonly offset: number;
  readonly length: number;
}

/** The files that an experiment names. */
export function dataFiles({ data, coldStart }: Pick<Experiment, 'data' | 'coldStart'>, text: string): DataFile[] {
  const root = parseTree(text);
  const named: [string[], string | undefined][] = [
    [['data', 'train'], data.train],
    [['data', 'evaluation'], data.evaluation],
    [['coldStart', 'demonstrations'], coldStart?.demonstrations],
  ];
  return named.flatMap(([location, path]) => {
    if (path === undefined) return [];
    const node = root && findNodeAtLocation(root, location);
    return [{ field: location.join('.'), path, offset: node?.offset ?? 0, length: node?.length ?? 1 }];
  });
}
