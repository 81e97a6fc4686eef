import { setMaxListeners } from 'node:events';
import { basename, join } from 'node:path';
import { createRule } from '../grading/createRule';
import { runPaths } from '../journal/runFolder';
import type { RunLock } from '../journal/runLock';
import { isAbort, RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import { stepsBetween } from '../rl/automaticEvaluations';
import type { RewardRule, Sandbox, TrainingService } from '../rl/ports';
import { type ResumePoint, train } from '../rl/train';
import type { Interpreter } from '../sandbox/interpreter';
import type { JournalRecord } from '../schema/journal';
import type { RunState } from '../schema/runState';
import type { KernelKind } from '../schema/trainerProcess';
import type { LocalService } from '../services/localService';
import { openLocalService } from '../services/openLocalService';
import { localProfile } from '../services/profile';
import type { TinkerClient } from '../services/tinkerClient';
import { localVocabulary } from '../trainer/vocabulary';
import { circuitBreaker } from './circuitBreaker';
import { dataNotices } from './dataReportText';
import { JournalLog } from './journalLog';
import type { Materials } from './materials';
import { resumePointOf } from './resumePoint';
import type { ActiveRun, Outcome } from './runControl';

/** Everything a run needs, checked and at hand. */
export interface RunParts {
  readonly folder: string;
  readonly lock: RunLock;
  readonly materials: Materials;
  readonly sandbox: Sandbox;
  /** What the sandbox stands on; the run ends it. */
  readonly python: Disposable & { readonly level: string };
  readonly interpreter: Pick<Interpreter, 'path' | 'version' | 'packages'>;
  readonly rule?: RewardRule | undefined;
  readonly trainerScript: string;
  /** Of the trainer at `service.url`. */
  readonly serviceKey: string | undefined;
  readonly version: string;
  /** What earlier attempts have come to; undefined when none has written its first line. */
  readonly previous: RunState | undefined;
  readonly onRecord: (record: JournalRecord) => void;
}

/** One attempt at a run, under way in this process: it owns the journal, the trainer's process and the lock. */
export class TrainingRun implements ActiveRun {
  readonly id: string;
  readonly folder: string;
  readonly done: Promise<Outcome>;
  failure: RetoolError | undefined;
  private readonly parts: RunParts;
  private readonly stopping = new AbortController();
  private readonly aborting = new AbortController();
  private readonly stopSignal = AbortSignal.any([this.stopping.signal, this.aborting.signal]);
  private readonly log: JournalLog;

  private constructor(parts: RunParts, log: JournalLog) {
    this.parts = parts;
    this.log = log;
    this.folder = parts.folder;
    this.id = basename(parts.folder);
    // Every rollout in flight listens; Node takes more than ten for a leak.
    setMaxListeners(0, this.aborting.signal, this.stopSignal);
    this.done = this.attempt();
  }

  static async launch(parts: RunParts): Promise<TrainingRun> {
    const { data, evaluation } = parts.materials.experiment;
    const setting = {
      dataset: data.evaluation ?? (data.holdOut === undefined ? '' : data.train),
      baseModel: 'local',
      temperature: evaluation.temperature,
      topP: evaluation.topP,
      topK: evaluation.topK,
      samples: evaluation.samplesPerProblem,
    };
    return new TrainingRun(parts, await JournalLog.open(parts.folder, setting, parts.onRecord));
  }

  stop(): void {
    this.stopping.abort();
  }

  abort(): void {
    this.aborting.abort();
  }

  /** Ends the attempt where it is: the sandbox fails again and again, and going on would learn nothing. */
  private pause(reason: string): void {
    this.failure ??= new RetoolError('python', `The run is paused, for the sandbox does not work: ${reason}`, {
      hint: 'Mend it and resume the run from its last checkpoint.',
    });
    this.aborting.abort(this.failure);
  }

  private async attempt(): Promise<Outcome> {
    let outcome: Outcome = 'failed';
    try {
      if (!this.parts.previous) await this.begin();
      outcome = await this.trainWithService();
    } catch (error) {
      if (isAbort(error) && this.failure === undefined) outcome = 'stopped';
      else this.failure ??= RetoolError.from('bug', 'The run failed', error);
    }
    if (this.failure) outcome = 'failed';
    try {
      const { message, hint } = this.failure ?? {};
      await this.log.append({ kind: 'ended', outcome, ...(message && { message }), ...(hint && { hint }) });
    } catch (error) {
      // The line is lost, and the run shows as interrupted; the reason is told here.
      this.failure ??= RetoolError.from('disk', 'The journal cannot be written', error);
      outcome = 'failed';
    }
    await this.log.close().catch(() => {});
    this.parts.python.dispose();
    await this.parts.lock.release();
    return outcome;
  }

  /** Results depend on these. */
  private pythonFacts() {
    const { interpreter, python } = this.parts;
    const { path, version, packages } = interpreter;
    return { path, version, level: python.level, packages: { ...packages } };
  }

  private async begin(): Promise<void> {
    const { materials, version } = this.parts;
    const { experiment, problems, evaluation, leftOut } = materials;
    await this.log.append({
      kind: 'started',
      name: experiment.name,
      seed: experiment.seed,
      version,
      coldStartSteps: experiment.coldStart?.steps ?? 0,
      reinforcementSteps: experiment.reinforcement.steps,
      ...(experiment.coldStart && { demonstrationsPerStep: experiment.coldStart.batchSize }),
      rolloutsPerStep:
        Math.min(experiment.reinforcement.problemsPerStep, problems.length) * experiment.reinforcement.groupSize,
      evaluationRollouts: evaluation.length * experiment.evaluation.samplesPerProblem,
      ...(stepsBetween(experiment) > 0 && { evaluateEvery: stepsBetween(experiment) }),
      problems: {
        train: problems.length,
        evaluation: evaluation.length,
        leftOut: leftOut.tooLong + leftOut.demonstrations,
        repeated: leftOut.repeated,
        contradictory: leftOut.contradictory,
      },
      service: { kind: experiment.service.kind, ...(experiment.service.url && { url: experiment.service.url }) },
      python: this.pythonFacts(),
    });
    const moment = { phase: experiment.coldStart ? 'coldStart' : 'reinforcement', step: 0 } as const;
    for (const notice of dataNotices(materials)) await this.log.append({ kind: 'noticed', ...moment, ...notice });
    await this.log.commit();
  }

  /** Chooses the newest checkpoint that the service can read, and says so when that is not the newest of all. */
  private async goOn(local: LocalService, previous: RunState, signal: AbortSignal): Promise<ResumePoint | undefined> {
    const { experiment } = this.parts.materials;
    const { client, kernels } = local;
    let readable = previous.checkpoints.length;
    while (readable > 0 && !(await client.canResume(previous.checkpoints[readable - 1]!.path, signal))) readable -= 1;
    if (readable === 0 && previous.checkpoints.length > 0) {
      throw new RetoolError('run', `None of the checkpoints of ${this.folder} can be read.`, {
        hint:
          experiment.service.url === undefined
            ? 'Restore its checkpoints folder and its experiment.json, or start a new run.'
            : `Start the trainer at ${experiment.service.url} on the folder that it had (--directory), or start a new run.`,
      });
    }
    const resume = resumePointOf(previous, readable);
    await discardLeftovers(local, previous, resume, signal);
    const moment = {
      phase: resume?.phase ?? (experiment.coldStart ? 'coldStart' : 'reinforcement'),
      step: resume?.step ?? 0,
    } as const;
    const checkpoint = resume?.checkpoint ?? null;
    await this.log.append({
      kind: 'resumed',
      attempt: previous.attempt + 1,
      ...moment,
      checkpoint,
      python: this.pythonFacts(),
    });
    if (readable < previous.checkpoints.length) {
      const lost = previous.checkpoints.slice(readable).map(({ path }) => path.split('/').at(-1));
      const message = `${lost.join(', ')} cannot be read: going on from ${checkpoint?.split('/').at(-1)}.`;
      await this.log.append({ kind: 'noticed', ...moment, level: 'warning', message });
    }
    if (previous.kernels && kernels && previous.kernels !== kernels) {
      const [before, now] = [previous.kernels, kernels].map((kind) => rounding[kind]);
      const message = `This run was computed with ${before} arithmetic and goes on with ${now}: from here on its numbers differ in their last bits from those of a run that stays on one processor.`;
      await this.log.append({ kind: 'noticed', ...moment, level: 'info', message });
    }
    await this.log.commit();
    return resume;
  }

  private async trainWithService(): Promise<Outcome> {
    const { folder, materials, sandbox, rule, previous, trainerScript, serviceKey } = this.parts;
    const { experiment, protocol, problems, evaluation, demonstrations } = materials;
    const { signal } = this.aborting;
    const { service } = experiment;
    const directory = join(folder, runPaths.checkpoints);
    const local = await openLocalService({ service, script: trainerScript, directory, key: serviceKey }, signal);
    local.onDidFail((error) => {
      this.failure ??= error;
      this.aborting.abort(error);
    });
    const { reach } = local.client;
    // Where the journal cannot be written, what is written next says so.
    reach.onDidChange((silence) => void this.log.service(reach.url, silence).catch(() => {}));
    // A call in flight does not end before the trainer answers; without a trainer it ends at once.
    signal.addEventListener('abort', () => local.dispose(), { once: true });
    try {
      const resume = previous && (await this.goOn(local, previous, signal));
      if (local.kernels) await this.log.append({ kind: 'trainerStarted', kernels: local.kernels });
      return await train(
        { experiment, problems, evaluation, demonstrations, resume, stop: this.stopSignal },
        {
          service: serviceOf(local, signal),
          sandbox: circuitBreaker(sandbox, (reason) => this.pause(reason)),
          protocol,
          tokenizer: localVocabulary,
          rule: rule ?? createRule(experiment.reward),
          log: this.log,
          clock: () => performance.now() / 1000,
          limits: { maxDatums: localProfile.limits.datums, maxPaddedTokens: Number.POSITIVE_INFINITY },
        },
        signal,
      );
    } catch (error) {
      // What its calls said of a trainer that is gone is told by the way that each of them failed.
      if (!isAbort(error)) this.failure ??= await local.whyLost();
      throw error;
    } finally {
      local.dispose();
      await local.ended;
    }
  }
}

const rounding: Record<KernelKind, string> = { fma: 'fused', plain: 'unfused' };

const serviceOf = ({ client }: LocalService, signal: AbortSignal): TrainingService => ({
  offers: client.offers,
  create: (seed) => client.createTrainer({ seed }, signal),
  load: (path, optimizer) => client.resumeTrainer(path, optimizer, signal),
});

/**
 * A save whose journal line a crash has prevented would stay for ever.
 *
 * @throws RetoolError `run` where there are more of them than a crash can leave: then it is the journal that lacks lines.
 */
async function discardLeftovers(
  { client, pid }: LocalService,
  { checkpoints, skipped }: RunState,
  resume: ResumePoint | undefined,
  signal: AbortSignal,
): Promise<void> {
  // Lines that could not be read may name checkpoints.
  if (skipped > 0) return;
  const shared = pid === undefined;
  const [named, kept] = [checkpoints, resume?.kept ?? []].map((list) => new Set(list.map(({ path }) => path)));
  const listed = shared ? await ownCheckpoints(client, checkpoints, signal) : await client.listCheckpoints(signal);
  const all = listed.map(({ tinker_path: path }) => path);
  const unnamed = all.filter((path) => !named!.has(path));
  if (unnamed.length > 1) {
    const names = unnamed.map((path) => path.split('/').at(-1)).join(', ');
    throw new RetoolError('run', `The journal lacks lines: there are checkpoints that it does not name (${names}).`, {
      hint: 'Restore journal.jsonl; or, to go on from what it says, delete those checkpoints.',
    });
  }
  for (const path of all) if (!kept!.has(path)) await client.discardCheckpoint(path);
}

/** Of the training runs that the journal names: a trainer that ran already may hold those of others. */
async function ownCheckpoints(client: TinkerClient, named: RunState['checkpoints'], signal: AbortSignal) {
  const runs = new Set(named.flatMap(({ path }) => /^\w+:\/\/([^/]+)\//.exec(path)?.[1] ?? []));
  return (await Promise.all([...runs].map((run) => client.listCheckpointsOf(run, signal)))).flat();
}
