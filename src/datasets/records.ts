import { RetoolError } from '../lib/errors';
import type { DataRecord } from './recordShapes';

/** One record of a file, or why it is none. */
export type RecordRow = { readonly number: number } & ({ readonly record: DataRecord } | { readonly fault: string });

/** A data file whose form is known and whose records can be read, any number of times. */
export interface RecordFile {
  /** What its records are counted by, from 1. */
  readonly unit: 'line' | 'row';
  /** Names of all columns; undefined where each record brings its own. */
  readonly columns: readonly string[] | undefined;
  /** @param columns that are wanted, where a file can leave out others. */
  rows(columns?: readonly string[]): AsyncGenerator<RecordRow>;
}

/** Longest line, bytes: a problem is shorter, and JSON of this size still parses at once. */
export const longestLine = 1_000_000;

export const missingHint = 'Paths in an experiment are relative to its file.';
export const lineHint = 'Each line is one JSON object: {"id": "a-1", "question": "What is 2+3?", "answer": "5"}.';

export const demonstrationHint =
  'Each line is one JSON object: {"id": "a-1", "question": "What is 2+3?", "answer": "5", "code": "print(2+3)"}.';

/** An error about a data file, with what its lines should look like. */
export const wrongData = (message: string, hint = lineHint): RetoolError => new RetoolError('data', message, { hint });
