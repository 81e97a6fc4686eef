import type * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { textLines } from '../lib/textLines';

/** A line of a case file: what the schema asks for, the line's own id or its number, and everything else. */
export type Case<T> = T & { readonly id: string };

/** A trajectory with the ids of its tokens is long; a line beyond this is none. */
const longest = 64 << 20;

/** Reads JSON lines; blank ones are skipped. @throws RetoolError `data` naming file, line and field of what is wrong. */
export async function readCases<T extends object>(path: string, schema: z.ZodType<T>): Promise<Case<T>[]> {
  const cases: Case<T>[] = [];
  for await (const { number, text } of textLines(path, { longest })) {
    if (text.trim() === '') continue;
    const where = `${path}, line ${number}`;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw new RetoolError('data', `${where}: not JSON.`);
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new RetoolError('data', `${where}: not a JSON object.`);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const [name] = issue?.path ?? [];
      const why =
        name === undefined
          ? (issue?.message ?? 'not a case')
          : `the field "${issue!.path.join('.')}" is ${whatIsWrong((value as Record<PropertyKey, unknown>)[name])}`;
      throw new RetoolError('data', `${where}: ${why}.`);
    }
    cases.push({ ...parsed.data, id: idOf(value, where) ?? String(number) });
  }
  if (cases.length === 0) throw new RetoolError('data', `${path} holds no cases.`);
  return cases;
}

function whatIsWrong(field: unknown): string {
  if (field === undefined) return 'missing';
  return typeof field === 'number' ? 'a number and has to be a text: put it in quotes' : 'not of the right kind';
}

function idOf(value: object, where: string): string | undefined {
  for (const name of ['id', 'problemId'] as const) {
    const id: unknown = (value as Record<string, unknown>)[name];
    if (id === undefined || id === null) continue;
    if (typeof id !== 'string' && typeof id !== 'number')
      throw new RetoolError('data', `${where}: the field "${name}" is neither a text nor a number.`);
    return String(id);
  }
  return undefined;
}
