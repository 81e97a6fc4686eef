import { basename } from 'node:path';
import type * as z from 'zod';
import { breathe, stretch } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { readUserFile } from '../lib/userFile';
import { Demonstration, Problem } from '../schema/trajectory';

/** Longest line: a problem is shorter, and JSON of this size still parses at once. */
const longestLine = 1_000_000;

/**
 * Reads a file of problems, one JSON object a line; blank lines are skipped. A numeric answer counts as its text; a
 * problem without an id gets one from the file's name and its line.
 *
 * @throws RetoolError `data` naming file, line and field of the first thing that is wrong.
 */
export function readProblems(path: string): Promise<Problem[]> {
  return readItems(path, Problem);
}

/** Reads problems that come with the code that solves them. As `readProblems` otherwise. */
export function readDemonstrations(path: string): Promise<Demonstration[]> {
  return readItems(path, Demonstration);
}

async function readItems<T extends Problem>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  const text = decode(path, await readUserFile(path, 'data', 'Paths in an experiment are relative to its file.'));
  const stem = basename(path).replace(/\.jsonl?$/, '');
  const items: T[] = [];
  const lines = new Map<string, number>();
  for (const [index, raw] of text.split('\n').entries()) {
    if (index % stretch === 0) await breathe();
    const line = raw.trim();
    if (line === '') continue;
    const number = index + 1;
    const item = parseLine(`${path}, line ${number}`, line, `${stem}-${number}`, schema);
    const earlier = lines.get(item.id);
    if (earlier !== undefined) {
      throw wrong(`${path}, line ${number}: the id "${item.id}" is that of line ${earlier} too.`);
    }
    lines.set(item.id, number);
    items.push(item);
  }
  if (items.length === 0) throw wrong(`${path} holds no problems.`);
  return items;
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw wrong(`${path}, line ${brokenLine(bytes)}: not UTF-8 text.`);
  }
}

function brokenLine(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let number = 1;
  for (let from = 0; from <= bytes.length; number++) {
    const end = bytes.indexOf(10, from);
    const to = end < 0 ? bytes.length : end;
    try {
      decoder.decode(bytes.subarray(from, to));
    } catch {
      return number;
    }
    from = to + 1;
  }
  return number;
}

function parseLine<T>(where: string, line: string, id: string, schema: z.ZodType<T>): T {
  if (line.length > longestLine) throw wrong(`${where}: longer than ${longestLine} characters.`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw wrong(`${where}: not JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(`${where}: not a JSON object.`);
  const fields = { id, ...value } as Record<string, unknown>;
  for (const name of ['id', 'answer']) {
    const field = fields[name];
    if (typeof field === 'number') fields[name] = toText(line, name, field);
  }
  for (const [name, field] of Object.entries(fields)) {
    if (typeof field === 'string' && field.trim() === '') throw wrong(`${where}: the field "${name}" is empty.`);
  }
  const parsed = schema.safeParse(fields);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = String(issue?.path[0] ?? '');
  throw wrong(`${where}: the field "${name}" is ${name in fields ? 'not a string' : 'missing'}.`);
}

/** The digits as the file writes them where a double would lose some. */
function toText(line: string, name: string, value: number): string {
  const written = new RegExp(`"${name}"\\s*:\\s*(-?\\d+)\\s*[,}]`).exec(line)?.[1];
  return written !== undefined && Number(written) === value ? written : String(value);
}

function wrong(message: string): RetoolError {
  return new RetoolError('data', message, {
    hint: 'Each line is one JSON object: {"id": "a-1", "question": "What is 2+3?", "answer": "5"}.',
  });
}
