import { basename } from 'node:path';
import { RetoolError } from '../lib/errors';
import type { Demonstration, Problem } from '../schema/trajectory';
import { jsonLines } from './jsonRecords';
import { openRecords } from './openRecords';
import {
  answerIn,
  columnsRead,
  type DataRecord,
  describeShape,
  questionIn,
  type RecordShape,
  recordShapes,
  shapeOf,
  valueAt,
} from './recordShapes';
import { demonstrationHint, longestLine, type RecordRow, wrongData } from './records';

/** One problem of a file, or why there is none in its record. `number` is that of its line or row, from 1. */
export type ProblemRow = { readonly number: number } & (
  | { readonly problem: Problem }
  | { readonly fault: string; readonly emptyAnswer?: boolean }
);

/** A file of problems in one of the known shapes. */
export interface ProblemFile {
  readonly path: string;
  readonly unit: 'line' | 'row';
  readonly shape: RecordShape;
  rows(): AsyncGenerator<ProblemRow>;
}

/**
 * Opens a file of problems: JSON lines or Parquet, in the first of `recordShapes` that its columns fit. A numeric answer
 * counts as its text; a problem without an id gets one from the file's name and its line.
 *
 * @throws RetoolError `data` when the columns fit no shape, or there are no records.
 */
export async function openProblems(path: string): Promise<ProblemFile> {
  const file = await openRecords(path);
  const columns = file.columns ?? (await firstColumns(path, file.rows()));
  const shape = shapeOf(columns);
  if (!shape) {
    const known = recordShapes.map(describeShape).join(', ');
    const names = columns.map((name) => (/[\p{Cc}]/u.test(name) ? JSON.stringify(name) : name)).join(', ');
    const has = columns.length === 0 ? 'no columns in its first record' : `the columns ${names}`;
    const message = `${path} has ${has}, which fit none of the shapes ${known}.`;
    throw new RetoolError('data', message, { hint: 'Rename its columns to question and answer.' });
  }
  const { unit } = file;
  async function* rows(): AsyncGenerator<ProblemRow> {
    for await (const row of file.rows(columnsRead(shape!, columns))) {
      yield 'fault' in row ? row : { number: row.number, ...problemIn(row.record, shape!, path, row.number) };
    }
  }
  return { path, unit, shape, rows };
}

/** Those of the first record, for the others are expected to have them too. */
async function firstColumns(path: string, rows: AsyncGenerator<RecordRow>): Promise<string[]> {
  let fault: string | undefined;
  for await (const row of rows) {
    if ('record' in row) return Object.keys(row.record);
    fault ??= `${path}, line ${row.number}: ${row.fault}`;
  }
  throw wrongData(fault ?? `${path} holds no problems.`);
}

type Parsed = { readonly problem: Problem } | { readonly fault: string; readonly emptyAnswer?: boolean };

function problemIn(record: DataRecord, shape: RecordShape, path: string, number: number): Parsed {
  const stem = basename(path).replace(/\.(jsonl?|parquet)$/, '');
  const idPath = shape.id.find((candidate) => valueAt(record, candidate) !== undefined);
  const kindPath = shape.kind.find((candidate) => typeof valueAt(record, candidate) === 'string');
  const read = {
    id: idPath === undefined ? `${stem}-${number}` : answerIn(valueAt(record, idPath)),
    question: questionIn(valueAt(record, shape.question)),
    answer: answerIn(valueAt(record, shape.answer)),
    kind: kindPath === undefined ? undefined : (valueAt(record, kindPath) as string),
  };
  const places = { id: idPath ?? 'id', question: shape.question, answer: shape.answer, kind: kindPath ?? 'kind' };
  for (const name of ['id', 'question', 'answer', 'kind'] as const) {
    const field = places[name];
    const value = read[name];
    if (value === undefined) {
      if (name === 'kind') continue;
      const why = whyUnread(valueAt(record, field));
      return fault(field, why, name === 'answer' && /missing|empty/.test(why));
    }
    if (value.trim() === '') return fault(field, 'empty', name === 'answer');
    if (value.length > longestLine) return fault(field, `longer than ${longestLine} characters`, false);
  }
  const { id, question, answer, kind } = read as { id: string; question: string; answer: string; kind?: string };
  return { problem: { id, question, answer, ...(kind !== undefined && { kind }) } };
}

const fault = (field: string, why: string, emptyAnswer: boolean): Parsed => ({
  fault: `the field "${field}" is ${why}.`,
  ...(emptyAnswer && { emptyAnswer }),
});

function whyUnread(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Number.isNaN(value)) return 'not a number';
  // JSON.parse makes Infinity of 1e999.
  if (typeof value === 'number')
    return Number.isFinite(value) ? 'a number, not a text' : 'a number too large to be read';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list that is not read as one text';
  return 'not a string';
}

/** Reads problems that come with the code that solves them, as JSON lines. @throws RetoolError `data` at the first fault. */
export async function readDemonstrations(path: string): Promise<Demonstration[]> {
  const wrong = (message: string) => wrongData(message, demonstrationHint);
  const [shape] = recordShapes as [RecordShape];
  const items: Demonstration[] = [];
  const lines = new Map<string, number>();
  for await (const row of jsonLines(path)) {
    const where = `${path}, line ${row.number}`;
    if ('fault' in row) throw wrong(`${where}: ${row.fault}`);
    const parsed = problemIn(row.record, shape, path, row.number);
    if ('fault' in parsed) throw wrong(`${where}: ${parsed.fault}`);
    const { problem } = parsed;
    const { code } = row.record;
    if (typeof code !== 'string') throw wrong(`${where}: the field "code" is ${whyUnread(code)}.`);
    if (code.trim() === '') throw wrong(`${where}: the field "code" is empty.`);
    const earlier = lines.get(problem.id);
    if (earlier !== undefined) throw wrong(`${where}: the id "${problem.id}" is that of line ${earlier} too.`);
    lines.set(problem.id, row.number);
    items.push({ ...problem, code });
  }
  if (items.length === 0) throw wrongData(`${path} holds no problems.`);
  return items;
}
