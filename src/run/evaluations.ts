import { join } from 'node:path';
import { createRule } from '../grading/createRule';
import { runPaths } from '../journal/runFolder';
import { RunLock } from '../journal/runLock';
import { RetoolError } from '../lib/errors';
import { protocolOf as toolProtocol } from '../protocols/protocols';
import { evaluate } from '../rl/evaluate';
import { isInfrastructure, sampledTokensOf } from '../rl/metrics';
import { requireWorkingTools } from '../rl/requireWorkingTools';
import type { RolloutParts } from '../rl/rollout';
import type { EvaluationRequest } from '../schema/evaluation';
import type { Experiment, FrozenExperiment } from '../schema/experiment';
import type { Problem, Trajectory } from '../schema/trajectory';
import { openLocalService } from '../services/openLocalService';
import { localVocabulary } from '../trainer/vocabulary';
import { writeEvaluation } from './evaluationFile';
import { GenerationLog, resultFile, workFolder } from './evaluationFolder';
import { experimentUnder, fingerprintOf } from './evaluationProtocol';
import { type EvaluationQuestion, prepareEvaluation } from './evaluationRequests';
import { openSandbox } from './openSandbox';
import type { Consent } from './runControl';
import { requirePosix } from './runs';
import { requireService, type ServiceKeys } from './serviceKeys';

export interface EvaluateOptions extends EvaluationQuestion {
  readonly concurrency?: number | undefined;
  /** Problems that are begun together. */
  readonly chunk?: number | undefined;
  /** Ends the evaluation, to be gone on with, when so many tokens have been sampled. */
  readonly mostTokens?: number | undefined;
  readonly python?: string | undefined;
  readonly allowUnsafeSandbox?: Consent | undefined;
}

export interface EvaluationProgress {
  readonly done: number;
  readonly all: number;
}

/** An evaluation that this process makes. */
export interface ActiveEvaluation {
  readonly request: EvaluationRequest;
  /** Where its results will stand. */
  readonly file: string;
  /** What a person should know of its problems, a sentence each. */
  readonly notices: readonly string[];
  /** Generations that were there before. */
  readonly from: number;
  /** Rejects with the failure; `stopped` and `budget` can be gone on with by asking for the same again. */
  readonly done: Promise<'completed' | 'stopped' | 'budget'>;
  stop(): void;
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
  { trainerScript, version, serviceKey: keys }: EvaluationsOptions,
  options: EvaluateOptions,
  onProgress: (progress: EvaluationProgress) => void = () => {},
): Promise<ActiveEvaluation> {
  requirePosix();
  const { request, frozen, problems, notices, folder } = await prepareEvaluation(version, options);
  const { id } = request;
  const serviceKey = await requireService(frozen.experiment.service, keys);
  const log = await GenerationLog.open(folder, request);
  const lock = await RunLock.take(workFolder(folder, id));
  const stop = new AbortController();
  const work = new EvaluationWork({
    options,
    frozen,
    problems,
    request,
    log,
    stop,
    trainerScript,
    serviceKey,
    onProgress,
  });
  const done = work.run(resultFile(folder, id)).finally(() => lock.release());
  done.catch(() => {});
  return { request, notices, file: resultFile(folder, id), from: log.known.size, done, stop: () => stop.abort() };
}

interface WorkParts {
  readonly options: EvaluateOptions;
  readonly frozen: FrozenExperiment;
  readonly problems: readonly Problem[];
  readonly request: EvaluationRequest;
  readonly log: GenerationLog;
  readonly stop: AbortController;
  readonly trainerScript: string;
  readonly serviceKey: string | undefined;
  readonly onProgress: (progress: EvaluationProgress) => void;
}

class EvaluationWork {
  private readonly parts: WorkParts;
  private sampledTokens = 0;
  private overBudget = false;
  /** Of this process. */
  private readonly pace = { seconds: 0, generations: 0 };

  constructor(parts: WorkParts) {
    this.parts = parts;
  }

  async run(file: string): Promise<'completed' | 'stopped' | 'budget'> {
    const { log, options, request, stop } = this.parts;
    const { dataset, samples } = request.protocol;
    let failed: Trajectory[] = [];
    if (log.known.size < dataset.problems * samples) {
      try {
        failed = await this.sample();
      } catch (error) {
        if (this.overBudget) return 'budget';
        // Aborted with a failure it is the trainer that ended, not a person.
        if (stop.signal.aborted && !(stop.signal.reason instanceof RetoolError)) return 'stopped';
        throw error;
      }
    }
    await writeEvaluation(file, this.sorted(failed), {
      ...request.protocol,
      dataset: dataset.name,
      baseModel: 'local',
      modelPath: options.subject.path ?? null,
      secondsPerGeneration: this.pace.generations > 0 ? this.pace.seconds / this.pace.generations : undefined,
      fingerprint: fingerprintOf(request.protocol),
    });
    await log.remove();
    return 'completed';
  }

  /** Samples what is missing. @returns those that failed by infrastructure, twice. */
  private async sample(): Promise<Trajectory[]> {
    const { options, frozen, stop, trainerScript, serviceKey, request } = this.parts;
    const { signal } = stop;
    const experiment = experimentUnder(frozen.experiment, request.protocol.mode);
    const { python } = await openSandbox(experiment, {
      setting: options.python,
      consent: options.allowUnsafeSandbox ?? false,
    });
    try {
      const { service } = experiment;
      const directory = join(options.run, runPaths.checkpoints);
      const local = await openLocalService({ service, script: trainerScript, directory, key: serviceKey }, signal);
      local.onDidFail((error) => stop.abort(error));
      signal.addEventListener('abort', () => local.dispose(), { once: true });
      try {
        const { path } = options.subject;
        const trainer =
          path === undefined
            ? await local.client.createTrainer({ seed: experiment.seed }, signal)
            : await local.client.resumeTrainer(path, false, signal);
        const policy = await trainer.policy();
        const pass = () => this.pass({ policy, sandbox: python, experiment });
        const [began, known] = [performance.now(), this.parts.log.known.size];
        const first = await pass();
        const failed = first.length > 0 ? await pass() : first;
        this.pace.seconds = (performance.now() - began) / 1000;
        this.pace.generations = this.parts.log.known.size - known;
        return failed;
      } catch (error) {
        throw signal.aborted ? (signal.reason ?? error) : ((await local.whyLost()) ?? error);
      } finally {
        local.dispose();
        await local.ended;
      }
    } finally {
      python.dispose();
    }
  }

  private async pass({
    policy,
    sandbox,
    experiment,
  }: Pick<RolloutParts, 'policy' | 'sandbox'> & { experiment: Experiment }) {
    const { options, problems, request, log, stop, onProgress } = this.parts;
    const { samples, seed = experiment.seed, temperature, topP, topK } = request.protocol;
    const all = problems.length * samples;
    const sampled = await evaluate(
      problems,
      {
        samples,
        seed,
        step: options.subject.step,
        concurrency: options.concurrency ?? experiment.reinforcement.concurrency,
        chunk: options.chunk,
        isDone: ({ id }, sample) => log.has(id, sample),
      },
      {
        policy,
        sandbox,
        protocol: toolProtocol(experiment.protocol, localVocabulary, experiment),
        tokenizer: localVocabulary,
        rule: createRule(experiment.reward),
        budgets: experiment.budgets,
        malformedCalls: experiment.malformedCalls,
        sampling: { temperature, topP, ...(topK > 0 && { topK }) },
        clock: () => performance.now() / 1000,
      },
      stop.signal,
      async (trajectory) => {
        if (isInfrastructure(trajectory)) return;
        await log.append(trajectory);
        onProgress({ done: log.known.size, all });
        this.count(sampledTokensOf(trajectory));
      },
    );
    requireWorkingTools(sampled);
    return sampled.filter(isInfrastructure);
  }

  private count(tokens: number): void {
    this.sampledTokens += tokens;
    const { options, stop } = this.parts;
    if (options.mostTokens === undefined || this.sampledTokens < options.mostTokens) return;
    this.overBudget = true;
    stop.abort();
  }

  /** By problem, then sample. */
  private sorted(failed: readonly Trajectory[]): Trajectory[] {
    const { problems, log } = this.parts;
    const order = new Map(problems.map(({ id }, index) => [id, index]));
    return [...log.known.values(), ...failed].sort(
      (a, b) => order.get(a.problemId)! - order.get(b.problemId)! || a.branch - b.branch,
    );
  }
}
