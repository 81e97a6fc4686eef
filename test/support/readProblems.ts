import { openProblems } from '../../src/datasets/problemFile';
import type { Problem } from '../../src/schema/trajectory';

/** All problems of a file. @throws at the first record that is none. */
export async function readProblems(path: string): Promise<Problem[]> {
  const file = await openProblems(path);
  const problems: Problem[] = [];
  for await (const row of file.rows()) {
    if ('fault' in row) throw new Error(`${path}, ${file.unit} ${row.number}: ${row.fault}`);
    problems.push(row.problem);
  }
  return problems;
}
