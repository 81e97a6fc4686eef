import { dirname, resolve } from 'node:path';
import { examine } from '../datasets/doctor';
import { openProblems } from '../datasets/problemFile';
import { protocolOf } from '../protocols/protocols';
import { type DataReport, refusedKinds } from '../schema/dataReport';
import { localVocabulary } from '../trainer/vocabulary';
import { readExperiment } from './experimentFile';
import { goldKey } from './goldKey';
import { type HubAccess, locateFile, locateFiles } from './hubData';
import { requireDataFiles } from './materials';
import { examineSets, type ReadingOptions } from './problemSets';

/**
 * Examines the problem files of an experiment, with its tokenizer, budgets and reward rule.
 *
 * @throws RetoolError for an experiment that is wrong, or files that are missing or that cannot be read.
 */
export async function examineExperiment(path: string, options: ReadingOptions & HubAccess = {}): Promise<DataReport> {
  const experiment = await readExperiment(path);
  await requireDataFiles(experiment, path);
  const protocol = protocolOf(experiment.protocol, localVocabulary);
  const locate = await locateFiles(experiment, dirname(resolve(path)), options);
  const examined = await examineSets(experiment, locate, protocol, options);
  return { sets: Object.values(examined).map(({ report }) => report) };
}

/** Examines a file of problems by itself. @param training set whose questions it should have none of. */
export async function examineFile(
  path: string,
  training: string | undefined,
  { onProgress, ...access }: ReadingOptions & HubAccess = {},
): Promise<DataReport> {
  const { signal } = access;
  const read = async (name: string, against?: Awaited<ReturnType<typeof examine>>) => {
    const file = await openProblems(await locateFile(name, access));
    return examine(
      file,
      file.rows(),
      { gold: goldKey },
      {
        ...(against && { against: against.questions }),
        ...(signal && { signal }),
        ...(onProgress && { onProgress: (records) => onProgress(name, records) }),
      },
    );
  };
  const trained = training === undefined ? undefined : await read(training);
  const own = await read(path, trained);
  return { sets: [...(trained ? [trained.report] : []), own.report] };
}

/** True when a run would refuse to begin. */
export const isRefused = ({ sets }: DataReport): boolean =>
  sets.some(({ usable, findings }) => usable === 0 || refusedKinds.some((kind) => findings[kind]));
