import { setMaxListeners } from 'node:events';
import { isAbort, RetoolError } from '../lib/errors';
import { evaluate, type Roll } from '../rl/evaluate';
import { isInfrastructure, sampledTokensOf } from '../rl/metrics';
import { requireWorkingTools } from '../rl/requireWorkingTools';
import type { EvaluationRequest } from '../schema/evaluation';
import type { Problem, Trajectory } from '../schema/trajectory';
import { type EvaluationSetting, writeEvaluation } from './evaluationFile';
import { GenerationLog, lockEvaluation, notWritten, resultFile } from './evaluationFolder';
import { fingerprintOf } from './evaluationProtocol';
import type { Consent } from './runControl';

/** How an evaluation is made, whoever is evaluated. None of it changes a sample. */
export interface EvaluationManner {
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

/** `stopped` and `budget` can be gone on with by asking for the same again. */
export type EvaluationEnd = 'completed' | 'stopped' | 'budget';

/** An evaluation that this process makes. */
export interface ActiveEvaluation {
  readonly request: EvaluationRequest;
  /** Where its results will stand. */
  readonly file: string;
  /** What a person should know of its problems, a sentence each. */
  readonly notices: readonly string[];
  /** Generations that were there before. */
  readonly from: number;
  /** Rejects with the failure. */
  readonly done: Promise<EvaluationEnd>;
  /** Seconds that a stop waits at most for samples in flight. */
  readonly graceSeconds: number;
  /** Begins nothing more and keeps what is in flight, within `graceSeconds`. @param atOnce gives up what is in flight. */
  stop(atOnce?: boolean): void;
}

export interface WorkParts extends Pick<EvaluationManner, 'chunk' | 'mostTokens'> {
  readonly request: EvaluationRequest;
  /** Of the evaluations. */
  readonly folder: string;
  readonly problems: readonly Problem[];
  /** What a person should know of them, a sentence each. */
  readonly notices: readonly string[];
  readonly seed: number;
  readonly step: number;
  readonly concurrency: number;
  readonly model: Pick<EvaluationSetting, 'baseModel' | 'modelPath'>;
  /**
   * Opens what solves problems, hands it to `work`, and closes it whatever comes of that.
   *
   * @param stop is aborted by a person, or with the failure of what was opened.
   */
  readonly withRoll: <T>(stop: AbortController, work: (roll: Roll) => Promise<T>) => Promise<T>;
  readonly onProgress: (progress: EvaluationProgress) => void;
  /** Seconds that a stop waits for samples in flight, which a service of others has been paid for. Default: 0. */
  readonly graceSeconds?: number | undefined;
}

/** As long as an answer of a busy service usually takes, and as a person waits. */
export const paidGraceSeconds = 30;

/** Begins an evaluation, or goes on with what is there of it. @throws RetoolError `run` where another process makes it. */
export async function beginEvaluation(parts: WorkParts): Promise<ActiveEvaluation> {
  const { request, folder, notices, graceSeconds = 0 } = parts;
  const lock = await lockEvaluation(folder, request);
  const log = await GenerationLog.open(folder, request).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  const stop = new AbortController();
  // Every sample in flight listens; Node takes more than ten for a leak.
  setMaxListeners(0, stop.signal);
  const file = resultFile(folder, request.id);
  const ending = new AbortController();
  let giveUp: NodeJS.Timeout | undefined;
  const done = new EvaluationWork(parts, log, stop, ending.signal).run(file).finally(() => {
    clearTimeout(giveUp);
    return lock.release();
  });
  done.catch(() => {});
  const halt = (atOnce = false) => {
    ending.abort();
    if (atOnce || graceSeconds === 0) stop.abort();
    else giveUp ??= setTimeout(() => stop.abort(), graceSeconds * 1000);
  };
  return { request, notices, file, from: log.known.size, done, graceSeconds, stop: halt };
}

class EvaluationWork {
  private readonly parts: WorkParts;
  private readonly log: GenerationLog;
  private readonly stop: AbortController;
  private readonly ending: AbortSignal;
  private sampledTokens = 0;
  private overBudget = false;
  /** Of this process. */
  private readonly pace = { seconds: 0, generations: 0 };

  constructor(parts: WorkParts, log: GenerationLog, stop: AbortController, ending: AbortSignal) {
    this.parts = parts;
    this.log = log;
    this.stop = stop;
    this.ending = ending;
  }

  async run(file: string): Promise<EvaluationEnd> {
    const { request, model } = this.parts;
    const { dataset, samples } = request.protocol;
    let failed: Trajectory[] = [];
    if (this.log.known.size < dataset.problems * samples) {
      try {
        failed = await this.parts.withRoll(this.stop, (roll) => this.sample(roll));
      } catch (error) {
        if (this.overBudget) return 'budget';
        if (this.ending.aborted && isAbort(error)) return 'stopped';
        // Aborted with a failure it is the trainer that ended, not a person.
        if (this.stop.signal.aborted && !(this.stop.signal.reason instanceof RetoolError)) return 'stopped';
        throw error;
      }
    }
    await this.log.requireThere();
    await writeEvaluation(file, this.sorted(failed), {
      ...request.protocol,
      dataset: dataset.name,
      ...model,
      secondsPerGeneration: this.pace.generations > 0 ? this.pace.seconds / this.pace.generations : undefined,
      fingerprint: fingerprintOf(request.protocol),
    }).catch((error: unknown) => {
      throw notWritten('The evaluation cannot be written', error);
    });
    await this.log.remove();
    return 'completed';
  }

  /** Samples what is missing. @returns those that failed by infrastructure, twice. */
  private async sample(roll: Roll): Promise<Trajectory[]> {
    const [began, known] = [performance.now(), this.log.known.size];
    const first = await this.pass(roll);
    const failed = first.length > 0 ? await this.pass(roll) : first;
    this.pace.seconds = (performance.now() - began) / 1000;
    this.pace.generations = this.log.known.size - known;
    return failed;
  }

  private async pass(roll: Roll): Promise<Trajectory[]> {
    const { problems, request, seed, step, concurrency, chunk, onProgress } = this.parts;
    const { samples } = request.protocol;
    const all = problems.length * samples;
    const sampled = await evaluate(
      problems,
      {
        samples,
        seed,
        step,
        concurrency,
        chunk,
        ending: this.ending,
        isDone: ({ id }, sample) => this.log.has(id, sample),
      },
      roll,
      this.stop.signal,
      async (trajectory) => {
        if (isInfrastructure(trajectory)) return;
        await this.log.append(trajectory);
        onProgress({ done: this.log.known.size, all });
        this.count(sampledTokensOf(trajectory));
      },
    );
    requireWorkingTools(sampled, 'What was sampled before is kept. Ask for the same again when the cause is gone.');
    return sampled.filter(isInfrastructure);
  }

  private count(tokens: number): void {
    this.sampledTokens += tokens;
    const { mostTokens } = this.parts;
    if (mostTokens === undefined || this.sampledTokens < mostTokens) return;
    this.overBudget = true;
    this.stop.abort();
  }

  /** By problem, then sample. */
  private sorted(failed: readonly Trajectory[]): Trajectory[] {
    const order = new Map(this.parts.problems.map(({ id }, index) => [id, index]));
    return [...this.log.known.values(), ...failed].sort(
      (a, b) => order.get(a.problemId)! - order.get(b.problemId)! || a.branch - b.branch,
    );
  }
}
