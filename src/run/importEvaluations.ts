import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { evaluationsFolderOf, keepOutOfGit } from '../journal/runFolder';
import { writeFileAtomic } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { makeFolder } from '../lib/makeFolder';
import type { EvaluationRequest } from '../schema/evaluation';
import { listEvaluations, requestFile, resultFile, workFolder } from './evaluationFolder';
import { readEvaluation } from './evaluationReport';
import { type ForeignEvaluation, readForeignEvaluation } from './foreignEvaluation';

/** A file that was imported, or had been before. */
export interface Imported extends ForeignEvaluation {
  readonly from: string;
  /** Its results. */
  readonly file: string;
  readonly isNew: boolean;
}

/**
 * Imports evaluation files in the format of the reference, all of them or none. A file whose content is there already is
 * left out.
 *
 * @param folder of evaluations, that of a run or `.retool/evaluations`.
 * @param by version of the product.
 * @returns models before training first, then by the names of the files, numbers in them as numbers.
 * @throws RetoolError `data` as `readForeignEvaluation`, `disk`.
 */
export async function importEvaluations(
  files: readonly string[],
  folder: string,
  by: string,
  now = new Date(),
): Promise<Imported[]> {
  const read: (ForeignEvaluation & { readonly from: string })[] = [];
  for (const from of files) read.push({ ...(await readForeignEvaluation(from)), from });
  read.sort(
    (a, b) =>
      Number(b.isBase) - Number(a.isBase) || basename(a.from).localeCompare(basename(b.from), 'en', { numeric: true }),
  );
  const known = new Map((await listEvaluations(folder)).map(({ request: { id } }) => [hashOf(id), id]));
  const imported: Imported[] = [];
  for (const [index, evaluation] of read.entries()) {
    const there = known.get(hashOf(evaluation.id));
    const id = there ?? evaluation.id;
    const file = resultFile(folder, id);
    const created = new Date(now.getTime() + index).toISOString();
    if (there === undefined) await store({ ...evaluation, file, created }, folder, by);
    known.set(hashOf(id), id);
    imported.push({ ...evaluation, id, file, isNew: there === undefined });
  }
  return imported;
}

/** The end of an id, which its content decides. */
const hashOf = (id: string): string => id.slice(id.lastIndexOf('.') + 1);

async function store(
  { id, subject, protocol, from, file, created }: Omit<Imported, 'isNew'> & { readonly created: string },
  folder: string,
  by: string,
): Promise<void> {
  const { average = 0, interval } = await readEvaluation(from);
  const result = { average, interval: interval ?? null };
  const request: EvaluationRequest = { version: 1, id, by, created, reason: 'imported', subject, protocol, result };
  try {
    await makeFolder(workFolder(folder, id));
    const home = dirname(dirname(folder));
    if (folder === evaluationsFolderOf(home)) await keepOutOfGit(dirname(folder));
    await copyFile(from, file);
    await writeFileAtomic(join(workFolder(folder, id), requestFile), `${JSON.stringify(request, null, 2)}\n`);
  } catch (error) {
    throw RetoolError.from('disk', `${from} cannot be imported into ${folder}`, error);
  }
}
