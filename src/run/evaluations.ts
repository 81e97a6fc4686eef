import { join } from 'node:path';
import { createRule } from '../grading/createRule';
import { runPaths } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import type { Silence } from '../lib/silence';
import { protocolOf as toolProtocol } from '../protocols/protocols';
import type { Roll } from '../rl/evaluate';
import { rollout } from '../rl/rollout';
import type { EvaluationProtocol } from '../schema/evaluation';
import type { Experiment } from '../schema/experiment';
import type { LocalService } from '../services/localService';
import { openLocalService } from '../services/openLocalService';
import { localVocabulary } from '../trainer/vocabulary';
import { experimentUnder } from './evaluationProtocol';
import { type EvaluationQuestion, prepareEvaluation } from './evaluationRequests';
import {
  type ActiveEvaluation,
  beginEvaluation,
  type EvaluationManner,
  type EvaluationProgress,
  paidGraceSeconds,
} from './evaluationWork';
import { openSandbox, requirePosix } from './openSandbox';
import { requireService, type ServiceKeys } from './serviceKeys';

export type { ActiveEvaluation, EvaluationProgress } from './evaluationWork';
export interface EvaluateOptions extends EvaluationQuestion, EvaluationManner {
  /** Is told that the training service does not answer and is waited for; with undefined, that it answers again. */
  readonly onSilence?: ((silence: Silence | undefined) => void) | undefined;
}

export interface EvaluationsOptions {
  readonly trainerScript: string;
  readonly version: string;
  readonly serviceKey?: ServiceKeys | undefined;
}

/**
 * Evaluates a checkpoint of a run, or goes on with the evaluation that asked the same of it.
 *
 * @throws RetoolError before anything is sampled: `run` where it has been made already or another process makes it,
 * `data` for the set, `python` for the sandbox.
 */
export async function evaluateCheckpoint(
  { trainerScript, version, serviceKey }: EvaluationsOptions,
  options: EvaluateOptions,
  onProgress: (progress: EvaluationProgress) => void = () => {},
): Promise<ActiveEvaluation> {
  requirePosix();
  const { request, frozen, problems, notices, folder } = await prepareEvaluation(version, options);
  const { protocol } = request;
  const experiment = experimentUnder(frozen.experiment, protocol.mode);
  const { service, reinforcement } = experiment;
  const key = await requireService(service, serviceKey);
  const directory = join(options.run, runPaths.checkpoints);
  return beginEvaluation({
    request,
    folder,
    problems,
    notices,
    seed: protocol.seed ?? experiment.seed,
    step: options.subject.step,
    concurrency: options.concurrency ?? reinforcement.concurrency,
    chunk: options.chunk,
    mostTokens: options.mostTokens,
    model: { baseModel: 'local', modelPath: options.subject.path ?? null },
    onProgress,
    graceSeconds: service.url === undefined ? 0 : paidGraceSeconds,
    async withRoll(stop, work) {
      const { signal } = stop;
      const { python } = await openSandbox(experiment, {
        setting: options.python,
        consent: options.allowUnsafeSandbox ?? false,
      });
      try {
        const local = await openLocalService({ service, script: trainerScript, directory, key }, signal);
        local.onDidFail((error) => stop.abort(error));
        if (options.onSilence) local.client.reach.onDidChange(options.onSilence);
        signal.addEventListener('abort', () => local.dispose(), { once: true });
        let sampling = false;
        try {
          const policy = await policyOf(local, options.subject.path, experiment.seed, signal);
          sampling = true;
          return await work(rollsOf(policy, python, experiment, protocol));
        } catch (error) {
          if (signal.aborted) throw toGoOn(signal.reason ?? error);
          throw sampling ? toGoOn((await local.whyLost()) ?? error) : error;
        } finally {
          local.dispose();
          await local.ended;
        }
      } finally {
        python.dispose();
      }
    },
  });
}

/** A service that fails says how a run goes on; this is none. */
function toGoOn(error: unknown): unknown {
  if (!(error instanceof RetoolError) || error.code !== 'service') return error;
  return new RetoolError(error.code, error.message, {
    hint: 'What was sampled before is kept: ask for the same again when the service works.',
    cause: error,
  });
}

/** @param path undefined for the model before training. */
async function policyOf({ client }: LocalService, path: string | undefined, seed: number, signal: AbortSignal) {
  const trainer =
    path === undefined ? await client.createTrainer({ seed }, signal) : await client.resumeTrainer(path, false, signal);
  return trainer.policy();
}

type Parts = Parameters<typeof rollout>[2];

function rollsOf(
  policy: Parts['policy'],
  sandbox: Parts['sandbox'],
  experiment: Experiment,
  { temperature, topP, topK }: EvaluationProtocol,
): Roll {
  const parts: Parts = {
    policy,
    sandbox,
    protocol: toolProtocol(experiment.protocol, localVocabulary, experiment),
    tokenizer: localVocabulary,
    rule: createRule(experiment.reward),
    budgets: experiment.budgets,
    malformedCalls: experiment.malformedCalls,
    sampling: { temperature, topP, ...(topK > 0 && { topK }) },
    clock: () => performance.now() / 1000,
  };
  return (problem, address, signal) => rollout(problem, address, parts, signal);
}
