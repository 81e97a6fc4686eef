import { basename } from 'node:path';
import type * as z from 'zod';
import { breathe, stretch } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { textLines } from '../lib/textLines';
import { Demonstration, Problem } from '../schema/trajectory';

/** Longest line, bytes: a problem is shorter, and JSON of this size still parses at once. */
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
  const stem = basename(path).replace(/\.jsonl?$/, '');
  const items: T[] = [];
  const lines = new Map<string, number>();
  const missingHint = 'Paths in an experiment are relative to its file.';
  for await (const { number, text } of textLines(path, { longest: longestLine, missingHint, lineHint })) {
    if (number % stretch === 0) await breathe();
    const line = text.trim();
    if (line === '') continue;
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

function parseLine<T>(where: string, line: string, id: string, schema: z.ZodType<T>): T {
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
    if (typeof field !== 'number') continue;
    // JSON.parse makes Infinity of 1e999.
    if (!Number.isFinite(field)) throw wrong(`${where}: the field "${name}" is a number too large to be read.`);
    fields[name] = toText(line, name, field);
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

const lineHint = 'Each line is one JSON object: {"id": "a-1", "question": "What is 2+3?", "answer": "5"}.';

function wrong(message: string): RetoolError {
  return new RetoolError('data', message, { hint: lineHint });
}
