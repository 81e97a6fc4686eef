import { setMaxListeners } from 'node:events';
import { basename, join } from 'node:path';
import { createRule } from '../grading/createRule';
import { runPaths } from '../journal/runFolder';
import type { RunLock } from '../journal/runLock';
import { isAbort, RetoolError } from '../lib/errors';
import type { RewardRule, Sandbox, ToolProtocol, TrainingService } from '../rl/ports';
import { type ResumePoint, train } from '../rl/train';
import type { Interpreter } from '../sandbox/interpreter';
import type { PythonSandbox } from '../sandbox/pythonSandbox';
import type { JournalRecord } from '../schema/journal';
import { type LocalService, startLocalService } from '../services/localService';
import { localProfile } from '../services/profile';
import type { TinkerClient } from '../services/tinkerClient';
import { localVocabulary } from '../trainer/vocabulary';
import { JournalLog } from './journalLog';
import type { Materials } from './materials';
import type { ActiveRun, Outcome } from './runControl';

/** Everything a run needs, checked and at hand. */
export interface RunParts {
  readonly folder: string;
  readonly lock: RunLock;
  readonly materials: Materials;
  readonly sandbox: Sandbox;
  /** What the sandbox stands on; the run ends it. */
  readonly python: PythonSandbox;
  readonly interpreter: Interpreter;
  readonly protocol: ToolProtocol;
  readonly rule?: RewardRule | undefined;
  readonly trainerScript: string;
  readonly version: string;
  /** Journal lines are still to begin: no attempt has written its first. */
  readonly begin: boolean;
  readonly attempt: number;
  readonly resume: ResumePoint | undefined;
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
      dataset: data.evaluation ?? '',
      baseModel: 'local',
      temperature: evaluation.temperature,
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

  private async attempt(): Promise<Outcome> {
    let outcome: Outcome = 'failed';
    try {
      await this.announce();
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

  private async announce(): Promise<void> {
    const { begin, attempt, resume, materials, interpreter, python, version } = this.parts;
    const { experiment, problems, evaluation, leftOut } = materials;
    if (begin) {
      await this.log.append({
        kind: 'started',
        name: experiment.name,
        seed: experiment.seed,
        version,
        coldStartSteps: experiment.coldStart?.steps ?? 0,
        reinforcementSteps: experiment.reinforcement.steps,
        problems: { train: problems.length, evaluation: evaluation.length, leftOut },
        service: { kind: experiment.service.kind },
        python: { path: interpreter.path, version: interpreter.version, level: python.level },
      });
    } else {
      await this.log.append({
        kind: 'resumed',
        attempt,
        phase: resume?.phase ?? (experiment.coldStart ? 'coldStart' : 'reinforcement'),
        step: resume?.step ?? 0,
        checkpoint: resume?.checkpoint ?? null,
      });
    }
    await this.log.commit();
  }

  private async trainWithService(): Promise<Outcome> {
    const { folder, materials, sandbox, protocol, rule, resume, trainerScript } = this.parts;
    const { experiment, problems, evaluation, demonstrations } = materials;
    const { signal } = this.aborting;
    const local = await startLocalService(
      {
        script: trainerScript,
        directory: join(folder, runPaths.checkpoints),
        shape: experiment.service,
        threads: experiment.service.threads,
        port: 0,
      },
      signal,
    );
    local.onDidFail((error) => {
      this.failure ??= error;
      this.aborting.abort(error);
    });
    try {
      if (!this.parts.begin) await discardUnnamed(local.client, resume, signal);
      return await train(
        { experiment, problems, evaluation, demonstrations, resume, stop: this.stopSignal },
        {
          service: serviceOf(local, signal),
          sandbox,
          protocol,
          tokenizer: localVocabulary,
          rule: rule ?? createRule(experiment.reward),
          log: this.log,
          clock: () => performance.now() / 1000,
          limits: { maxDatums: localProfile.limits.datums, maxPaddedTokens: Number.POSITIVE_INFINITY },
        },
        signal,
      );
    } finally {
      local.dispose();
      await local.ended;
    }
  }
}

const serviceOf = ({ client }: LocalService, signal: AbortSignal): TrainingService => ({
  create: (seed) => client.createTrainer({ seed }, signal),
  load: (path, optimizer) => client.resumeTrainer(path, optimizer, signal),
});

/** A save whose journal line a crash has prevented would stay for ever. */
async function discardUnnamed(
  client: TinkerClient,
  resume: ResumePoint | undefined,
  signal: AbortSignal,
): Promise<void> {
  const named = new Set(resume?.kept.map(({ path }) => path));
  for (const { tinker_path: path } of await client.listCheckpoints(signal)) {
    if (!named.has(path)) await client.discardCheckpoint(path);
  }
}
