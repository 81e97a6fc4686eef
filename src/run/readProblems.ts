import { openProblems } from '../datasets/problemFile';
import { RetoolError } from '../lib/errors';
import type { Problem } from '../schema/trajectory';

/** Every problem of a file, in its order. @throws RetoolError `data` at the first record that is wrong, or none at all. */
export async function readProblems(path: string): Promise<Problem[]> {
  const file = await openProblems(path);
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for await (const row of file.rows()) {
    if ('fault' in row) throw new RetoolError('data', `${path}, ${file.unit} ${row.number}: ${row.fault}`);
    if (ids.has(row.problem.id)) {
      throw new RetoolError('data', `${path}, ${file.unit} ${row.number}: the id "${row.problem.id}" is there twice.`);
    }
    ids.add(row.problem.id);
    problems.push(row.problem);
  }
  if (problems.length === 0) throw new RetoolError('data', `${path} holds no problem.`);
  return problems;
}
