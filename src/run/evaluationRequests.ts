import { join, resolve } from 'node:path';
import { isHubName } from '../hub/hubName';
import { exists, readFrozenExperiment, runPaths } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import { protocolOf as toolProtocol } from '../protocols/protocols';
import type { EvaluationRequest, EvaluationSubject } from '../schema/evaluation';
import type { FrozenExperiment } from '../schema/experiment';
import type { Problem } from '../schema/trajectory';
import { localVocabulary } from '../trainer/vocabulary';
import { readRequest, resultFile, writeRequest } from './evaluationFolder';
import { type EvaluationChoices, evaluationId, protocolDifferences, protocolOf } from './evaluationProtocol';
import { evaluationSet, heldOutSet } from './evaluationSets';
import type { HubAccess } from './hubData';
import { setCalled } from './namedSets';

export type CheckpointSubject = Extract<EvaluationSubject, { kind: 'checkpoint' }>;

/** The question has been answered: its results are there. */
export class AlreadyEvaluated extends RetoolError {
  readonly id: string;
  readonly file: string;

  constructor(id: string, file: string, message: string, options: { readonly hint: string }) {
    super('run', message, options);
    this.id = id;
    this.file = file;
  }
}

/** What is asked of a checkpoint, and where its problems may be fetched from. */
export interface EvaluationQuestion extends Pick<HubAccess, 'hub' | 'onFetch' | 'signal'> {
  /** Folder of the run whose checkpoint it is. */
  readonly run: string;
  readonly subject: CheckpointSubject;
  /** `held-out`, a named set such as `AIME25`, `AIME25=FILE`, or a file of problems. */
  readonly dataset: string;
  readonly choices?: EvaluationChoices | undefined;
  readonly reason?: EvaluationRequest['reason'] | undefined;
}

/** A question that can be answered: its problems are there and fit. */
export interface PreparedEvaluation {
  readonly request: EvaluationRequest;
  readonly frozen: FrozenExperiment;
  readonly problems: readonly Problem[];
  /** What a person should know of them, a sentence each. */
  readonly notices: readonly string[];
  /** Of the run's evaluations. */
  readonly folder: string;
}

/**
 * Finds what an evaluation needs, and the request that stands for it, that of an earlier try where there is one.
 *
 * @param by version of the product.
 * @throws RetoolError `run` where it has been made already, `data` for the set; SetNotFetched.
 */
export async function prepareEvaluation(by: string, question: EvaluationQuestion): Promise<PreparedEvaluation> {
  const { run, subject, dataset, choices = {}, reason = 'asked' } = question;
  const frozen = await readFrozenExperiment(run);
  const { experiment } = frozen;
  const tools = toolProtocol(experiment.protocol, localVocabulary, experiment);
  const set = await evaluationSet(dataset, frozen, tools, choices.limit, question);
  const protocol = protocolOf(experiment, set, choices);
  const folder = join(run, runPaths.evaluations);
  const request = await requestIn(folder, { by, subject, reason, source: sourceOf(dataset), protocol });
  return { request, frozen, problems: set.problems, notices: set.notices, folder };
}

/**
 * The request of an evaluation: that of an earlier try where there is one.
 *
 * @throws RetoolError `run` where it has been made already.
 */
export async function requestIn(
  folder: string,
  asked: Omit<EvaluationRequest, 'version' | 'id' | 'created'>,
): Promise<EvaluationRequest> {
  const { subject, protocol } = asked;
  const id = evaluationId(subject, protocol);
  const read = await readRequest(folder, id);
  // One that was changed by hand asks something else than its name says.
  const known = read && evaluationId(read.subject, read.protocol) === id ? read : undefined;
  const fresh = known ?? { version: 1, id, created: new Date().toISOString(), ...asked };
  if (await exists(resultFile(folder, id))) {
    // Without its request nobody would find it.
    if (!read) await writeRequest(folder, fresh);
    const who = subject.kind === 'checkpoint' ? 'checkpoint' : 'model';
    throw new AlreadyEvaluated(
      id,
      resultFile(folder, id),
      `This ${who} has been evaluated so already: ${resultFile(folder, id)}.`,
      {
        hint: 'Ask for another seed, or for more samples, to sample it again.',
      },
    );
  }
  return fresh;
}

/**
 * Writes the request, so that it is remembered and can be gone on with.
 *
 * @throws as `prepareEvaluation`; `run` where another process makes it; `disk`.
 */
export async function requestEvaluation(by: string, question: EvaluationQuestion): Promise<PreparedEvaluation> {
  const prepared = await prepareEvaluation(by, question);
  await writeRequest(prepared.folder, prepared.request);
  return prepared;
}

/**
 * The question of an evaluation that stopped.
 *
 * @throws RetoolError `run` where it does not say what it was asked on.
 */
export function questionOf(run: string, { subject, source, protocol, reason, id }: EvaluationRequest) {
  if (subject.kind !== 'checkpoint' || source === undefined) {
    throw new RetoolError('run', `The evaluation ${id} does not say which problems it was asked on.`, {
      hint: 'Ask for it again with the same data set: it goes on.',
    });
  }
  const { mode, samples, temperature, topP, topK, seed, dataset } = protocol;
  const choices = { mode, samples, temperature, topP, ...(topK > 0 && { topK }), seed, limit: dataset.problems };
  return { run, subject, dataset: source, choices, reason };
}

/**
 * The question of an evaluation that stopped, as long as it is still the same.
 *
 * @throws RetoolError `run` where it is not there; `data` naming what has changed since.
 */
export async function questionToGoOn(
  by: string,
  run: string,
  id: string,
  access: Pick<HubAccess, 'hub'> = {},
): Promise<EvaluationQuestion> {
  const request = await readRequest(join(run, runPaths.evaluations), id);
  if (!request) throw new RetoolError('run', `There is no evaluation ${id} in ${run}.`);
  const question = { ...questionOf(run, request), ...access };
  const now = (await prepareEvaluation(by, question)).request;
  if (now.id === id) return question;
  const changed = protocolDifferences(request.protocol, now.protocol).map(({ field }) => field);
  throw new RetoolError('data', `The evaluation ${id} cannot go on: ${changed.join(', ')} changed since.`, {
    hint: 'Restore the file of problems, or delete this evaluation and ask for a new one.',
  });
}

/** A file by its whole path, for what goes on later may stand in another folder; one of a named set is remembered. */
export function sourceOf(dataset: string): string {
  const [name] = dataset.split('=') as [string];
  const set = /[\\/]/.test(name) ? undefined : setCalled(name);
  if (set) return set.name;
  return dataset === heldOutSet || isHubName(dataset) ? dataset : resolve(dataset);
}
