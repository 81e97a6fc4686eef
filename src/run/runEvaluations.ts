import { join } from 'node:path';
import { exists, readFrozenExperiment, runPaths } from '../journal/runFolder';
import type { EvaluationProtocol, EvaluationSubject } from '../schema/evaluation';
import type { FrozenExperiment } from '../schema/experiment';
import type { RunState } from '../schema/runState';
import { listEvaluations, resultFile } from './evaluationFolder';
import { digestOf, protocolOf } from './evaluationProtocol';
import { type EvaluationReport, readEvaluation } from './evaluationReport';
import { heldOutSet } from './evaluationSets';

/** An evaluation that has ended, with all there is to say of it. */
export interface EndedEvaluation {
  readonly id: string;
  readonly file: string;
  readonly subject: EvaluationSubject;
  readonly protocol: EvaluationProtocol;
  readonly report: EvaluationReport;
}

/** Every evaluation of a run that has ended: those of its training, then those that were asked for, oldest first. */
export async function endedEvaluations(run: RunState): Promise<EndedEvaluation[]> {
  const folder = join(run.folder, runPaths.evaluations);
  const frozen = await readFrozenExperiment(run.folder);
  const own: EndedEvaluation[] = [];
  for (const [id, { phase, step, result }] of Object.entries(run.evaluations)) {
    const file = resultFile(folder, id);
    if (!result || !(await exists(file))) continue;
    const report = await readEvaluation(file);
    const path = run.checkpoints.find((saved) => saved.phase === phase && saved.step === step)?.path;
    own.push({
      id,
      file,
      subject: { kind: 'checkpoint', path, phase, step },
      protocol: ownProtocol(frozen, report),
      report,
    });
  }
  return [...own, ...(await askedEvaluations(folder))];
}

/** Those that have ended of a folder of evaluations, oldest first. @throws as `readEvaluation`. */
async function askedEvaluations(folder: string): Promise<EndedEvaluation[]> {
  const asked = (await listEvaluations(folder)).filter(({ status }) => status === 'done');
  return Promise.all(
    asked.map(async ({ request: { id, subject, protocol } }) => {
      const file = resultFile(folder, id);
      return { id, file, subject, protocol, report: await readEvaluation(file) };
    }),
  );
}

/**
 * All that a person may want to see beside each other: what was imported into the folder that holds the runs, then the
 * evaluations of the run; or those of a folder alone.
 */
export async function comparableEvaluations(
  source: { readonly run: RunState } | { readonly folder: string },
): Promise<EndedEvaluation[]> {
  if ('folder' in source) return askedEvaluations(source.folder);
  const own = await endedEvaluations(source.run);
  const beside = await askedEvaluations(join(source.run.folder, '..', '..', runPaths.evaluations));
  const ids = new Set(own.map(({ id }) => id));
  return [...beside.filter(({ id }) => !ids.has(id)), ...own];
}

/** What a training asks of the problems that it holds out. */
function ownProtocol({ experiment }: FrozenExperiment, { problems }: EvaluationReport): EvaluationProtocol {
  const asked = problems.map(({ id, question, gold }) => ({ id, question, answer: gold }));
  return {
    ...protocolOf(experiment, { name: heldOutSet, problems: asked }, {}),
    dataset: { name: heldOutSet, problems: asked.length, digest: digestOf(asked) },
  };
}
