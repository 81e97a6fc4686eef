import { dirname, resolve } from 'node:path';
import { examine } from '../datasets/doctor';
import { openProblems } from '../datasets/problemFile';
import { RetoolError } from '../lib/errors';
import { protocolOf } from '../protocols/protocols';
import type { ToolProtocol } from '../rl/ports';
import { type DataReport, type DemonstrationsReport, refusedKinds } from '../schema/dataReport';
import type { Experiment } from '../schema/experiment';
import { localVocabulary } from '../trainer/vocabulary';
import { readExperiment } from './experimentFile';
import { goldKey } from './goldKey';
import { type HubAccess, type Locate, locateFile, locateFiles } from './hubData';
import { fittingDemonstrations, requireDataFiles } from './materials';
import { examineSets, type ReadingOptions } from './problemSets';

/**
 * Examines the problem files of an experiment, with its tokenizer, budgets and reward rule.
 *
 * @throws RetoolError for an experiment that is wrong, or files that are missing or that cannot be read.
 */
export async function examineExperiment(path: string, options: ReadingOptions & HubAccess = {}): Promise<DataReport> {
  const experiment = await readExperiment(path);
  await requireDataFiles(experiment, path);
  const protocol = protocolOf(experiment.protocol, localVocabulary, experiment);
  const locate = await locateFiles(experiment, dirname(resolve(path)), options);
  const examined = await examineSets(experiment, locate, protocol, options);
  const demonstrations = await examineDemonstrations(experiment, locate, protocol);
  return { sets: Object.values(examined).map(({ report }) => report), ...(demonstrations && { demonstrations }) };
}

/** @returns undefined where there are none, or where they cannot be read: a run says why. */
async function examineDemonstrations(
  experiment: Experiment,
  locate: Locate,
  protocol: ToolProtocol,
): Promise<DemonstrationsReport | undefined> {
  if (!experiment.coldStart) return undefined;
  const path = locate(experiment.coldStart.demonstrations);
  const { all, fitting } = await fittingDemonstrations(path, experiment, protocol).catch((error: unknown) => {
    if (error instanceof RetoolError) return { all: [], fitting: [] };
    throw error;
  });
  if (all.length === 0) return undefined;
  return { path, count: all.length, fitting: fitting.length, context: experiment.service.context };
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
        ...(against && { against }),
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
