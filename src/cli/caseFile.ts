import type * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { readUserFile } from '../lib/userFile';

/** A line of a case file: what the schema asks for, the line's own id or its number, and everything else. */
export type Case<T> = T & { readonly id: string };

/** Reads JSON lines; blank ones are skipped. @throws RetoolError `data` naming file, line and field of what is wrong. */
export async function readCases<T extends object>(path: string, schema: z.ZodType<T>): Promise<Case<T>[]> {
  const cases: Case<T>[] = [];
  for (const [index, line] of (await readUserFile(path, 'data')).toString('utf8').split('\n').entries()) {
    if (line.trim() === '') continue;
    const where = `${path}, line ${index + 1}`;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new RetoolError('data', `${where}: not JSON.`);
    }
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join('.');
      throw new RetoolError(
        'data',
        `${where}: ${field ? `the field "${field}": ` : ''}${issue?.message ?? 'not a case'}.`,
      );
    }
    const { id, problemId } = value as { id?: unknown; problemId?: unknown };
    cases.push({ ...parsed.data, id: String(id ?? problemId ?? index + 1) });
  }
  if (cases.length === 0) throw new RetoolError('data', `${path} holds no cases.`);
  return cases;
}
