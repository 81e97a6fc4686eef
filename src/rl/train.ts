import { isAbort } from '../lib/errors';
import type { Experiment } from '../schema/experiment';
import type { EvaluationResult, Metrics, Phase } from '../schema/journal';
import { type Demonstration, type Problem, tokensIn } from '../schema/trajectory';
import { alertMemory, alertsOf, begins } from './alerts';
import { AutomaticEvaluations, stepsBetween, totalSampled } from './automaticEvaluations';
import { callMetrics, countsCalls } from './callMetrics';
import { Checkpoints, type KeptCheckpoint } from './checkpoints';
import { coldStartBatch } from './coldStart';
import { collectGroups } from './collectGroups';
import { evaluate, type Roll } from './evaluate';
import { groupMetrics, isPhantom, noUpdateReason, phantomWarning } from './groups';
import { evaluationResult, isInfrastructure, present, rolloutMetrics, sampledTokensOf, sandboxTotals } from './metrics';
import { imitation, type Objective, planObjective } from './objective';
import type { MicroBatchLimits } from './packing';
import type { Clock, RewardRule, RunLog, Sandbox, Tokenizer, ToolProtocol, Trainer, TrainingService } from './ports';
import { updateOnGroups } from './reinforcement';
import { requireWorkingTools } from './requireWorkingTools';
import { type RolloutParts, rollout, type Sampling } from './rollout';
import { learningRateAt } from './schedule';
import { adamAt, update } from './update';

export interface TrainingPorts {
  readonly service: TrainingService;
  readonly sandbox: Sandbox;
  readonly protocol: ToolProtocol;
  readonly tokenizer: Tokenizer;
  readonly rule: RewardRule;
  readonly log: RunLog;
  readonly clock: Clock;
  readonly limits: MicroBatchLimits;
}

/** Where a run goes on. */
export interface ResumePoint {
  readonly phase: Phase;
  readonly step: number;
  readonly checkpoint: string;
  readonly kept: readonly KeptCheckpoint[];
  /** Evaluations that were finished before, by id. */
  readonly evaluated: ReadonlyMap<string, EvaluationResult>;
  /** Metrics of the reinforcement's last steps, oldest first: for what is summed over the run, and for alerts. */
  readonly history: readonly Metrics[];
}

export interface TrainingPlan {
  readonly experiment: Experiment;
  readonly problems: readonly Problem[];
  readonly evaluation: readonly Problem[];
  readonly demonstrations: readonly Demonstration[];
  readonly resume: ResumePoint | undefined;
  /**
   * Aborted to end the run, saved: after the step that is under way; an evaluation is given up. Aborts with the run's
   * own signal too.
   */
  readonly stop: AbortSignal;
}

/**
 * A whole run: cold start on demonstrations, evaluation, reinforcement from outcome rewards, evaluation.
 *
 * All facts go to `ports.log`; this function knows no view, no disk and no clock of its own. Given the same plan and
 * services that keep their promise of reproducibility, it writes the same journal, and a run that was resumed writes the
 * lines that the undisturbed one would have written.
 *
 * @throws RetoolError when a service fails for good; the last checkpoint stays.
 */
export async function train(
  plan: TrainingPlan,
  ports: TrainingPorts,
  signal: AbortSignal,
): Promise<'completed' | 'stopped'> {
  return new Training(plan, ports, signal).run();
}

/** Metrics that sum over the run. The first is where in the order of problems the next step begins. */
const problemsDrawn = 'rollout/total_problems';
const phantomGroups = 'rollout/total_phantom_groups';

/** Most lines of the journal that tell how far an evaluation is. */
const evaluationProgressLines = 32;

class Training {
  private readonly plan: TrainingPlan;
  private readonly ports: TrainingPorts;
  private readonly signal: AbortSignal;
  private readonly checkpoints: Checkpoints;
  private readonly objective: Objective;
  private totals: Metrics;
  /** Of the last steps, oldest first. */
  private history: readonly Metrics[];
  private start: Promise<Trainer> | undefined;
  private readonly automatic: AutomaticEvaluations;

  constructor(plan: TrainingPlan, ports: TrainingPorts, signal: AbortSignal) {
    this.plan = plan;
    this.ports = ports;
    this.signal = signal;
    this.history = [...(plan.resume?.history ?? [])];
    this.totals = this.history.at(-1) ?? {};
    this.automatic = new AutomaticEvaluations(plan.experiment, plan.resume?.evaluated ?? new Map());
    this.objective = planObjective(plan.experiment, ports.service.offers);
    const { checkpoints, coldStart } = plan.experiment;
    const rule = { ...checkpoints, coldStartSteps: coldStart?.steps ?? 0 };
    this.checkpoints = new Checkpoints(ports.log, rule, plan.resume?.kept ?? []);
  }

  async run(): Promise<'completed' | 'stopped'> {
    const { experiment, resume } = this.plan;
    const coldStartSteps = experiment.coldStart?.steps ?? 0;
    const inReinforcement = resume?.phase === 'reinforcement';

    let trainer: Trainer;
    if (inReinforcement) {
      trainer = await this.ports.service.load(resume.checkpoint, true);
    } else {
      const base = await this.coldStart(coldStartSteps);
      if (base === 'stopped') return 'stopped';
      trainer = base;
      const start = { phase: coldStartSteps > 0 ? 'coldStart' : 'reinforcement', step: coldStartSteps } as const;
      if ((await this.evaluate('before', trainer, start)) === 'stopped') return 'stopped';
    }
    if (resume) await this.checkpoints.prune(trainer);
    const first = inReinforcement ? resume.step + 1 : 1;
    if ((await this.reinforce(trainer, first)) === 'stopped') return 'stopped';
    const end = { phase: 'reinforcement', step: experiment.reinforcement.steps } as const;
    return this.evaluate('after', trainer, end);
  }

  /** @returns a trainer at the end of the cold start, its optimizer fresh. */
  private async coldStart(steps: number): Promise<Trainer | 'stopped'> {
    const { experiment, demonstrations, resume } = this.plan;
    const { service, log, protocol, limits, clock } = this.ports;
    const { seed, coldStart: settings, budgets } = experiment;
    if (settings === undefined || steps === 0) {
      return resume ? service.load(resume.checkpoint, false) : service.create(seed);
    }
    let path = resume?.checkpoint;
    if (resume?.step !== steps) {
      const trainer = path === undefined ? await service.create(seed) : await service.load(path, true);
      for (let step = (resume?.step ?? 0) + 1; step <= steps; step++) {
        this.signal.throwIfAborted();
        const began = clock();
        const options = { batchSize: settings.batchSize, toolShare: settings.toolShare, seed };
        const datums = coldStartBatch(demonstrations, step, options, protocol, budgets.observationTokens);
        const adam = adamAt(settings, learningRateAt(settings, step, steps));
        const { metrics } = await update(trainer, datums, imitation, adam, limits);
        const seconds = clock() - began;
        const tokens = datums.reduce((sum, datum) => sum + datum.tokens.length, 0);
        const timing = present({ 'time/step_seconds': seconds, 'perf/tokens_per_second': tokens / seconds });
        await log.append({ kind: 'step', phase: 'coldStart', step, metrics: { ...metrics, ...timing } });
        const stop = this.plan.stop.aborted && step < steps;
        if (stop || step === steps || step % settings.checkpointEvery === 0) {
          path = await this.checkpoints.save(trainer, 'coldStart', step);
        }
        if (stop) return 'stopped';
      }
    }
    return service.load(path!, false);
  }

  private async reinforce(trainer: Trainer, first: number): Promise<'completed' | 'stopped'> {
    const { steps } = this.plan.experiment.reinforcement;
    // What ended the run after the checkpoint may have been before its evaluation, or in it.
    if ((await this.evaluateAt(first - 1, trainer)) === 'stopped') return 'stopped';
    for (let step = first; step <= steps; step++) {
      this.signal.throwIfAborted();
      await this.reinforcementStep(trainer, step);
      await this.checkpoints.save(trainer, 'reinforcement', step);
      if (this.plan.stop.aborted && step < steps) return 'stopped';
      if ((await this.evaluateAt(step, trainer)) === 'stopped') return 'stopped';
    }
    return 'completed';
  }

  /** The evaluation that is due after a step, where there is one. */
  private async evaluateAt(step: number, trainer: Trainer): Promise<'completed' | 'stopped'> {
    const due = this.automatic.at(step, this.totals);
    if (!due || due.overBudget !== undefined) return 'completed';
    return this.evaluate(due.id, trainer, { phase: 'reinforcement', step });
  }

  private async reinforcementStep(trainer: Trainer, step: number): Promise<void> {
    const { log, clock } = this.ports;
    const { seed, reinforcement: settings } = this.plan.experiment;
    const began = clock();
    const policy = await trainer.policy();
    const from = this.totals[problemsDrawn] ?? (step - 1) * settings.problemsPerStep;
    const parts = this.parts(policy, { temperature: settings.temperature });
    const collected = await collectGroups(this.plan.problems, { step, seed, from }, settings, parts, this.signal);
    const { groups } = collected;
    await policy.release();
    const sampled = clock();

    const trajectories = groups.flatMap((group) => group.trajectories);
    const adam = adamAt(settings, learningRateAt(settings, step, settings.steps));
    const metrics = await updateOnGroups(
      trainer,
      groups,
      settings,
      this.objective,
      await this.reference(),
      adam,
      this.ports.limits,
    );
    const seconds = clock() - began;

    const phantomBefore = this.totals[phantomGroups] ?? 0;
    const phantoms = phantomBefore + groups.filter(isPhantom).length;
    const sampledTokens = trajectories.reduce((sum, trajectory) => sum + sampledTokensOf(trajectory), 0);
    this.totals = {
      ...sandboxTotals(this.totals, trajectories),
      ...(stepsBetween(this.plan.experiment) > 0 && {
        [totalSampled]: (this.totals[totalSampled] ?? 0) + sampledTokens,
      }),
      ...(settings.dynamicSampling && { [problemsDrawn]: collected.position }),
      ...(phantoms > 0 && { [phantomGroups]: phantoms }),
    };
    const degenerate = groups.filter(({ dropped }) => dropped === 'equalRewards' || dropped === 'single').length;
    const calls = callMetrics(trajectories, this.ports.protocol.endOfTurn);
    await log.rollouts(step, trajectories);
    const measured = {
      ...rolloutMetrics(trajectories, degenerate, groups.length),
      ...groupMetrics(groups, settings),
      ...(settings.dynamicSampling && { 'rollout/generation_batches': collected.batches }),
      ...(countsCalls(this.plan.experiment) && calls),
      ...this.totals,
      ...this.automatic.metrics(step - 1),
      ...metrics,
      ...present({
        'rollout/tokens': trajectories.reduce((sum, trajectory) => sum + tokensIn(trajectory), 0),
        'rollout/sampled_tokens': sampledTokens,
        'time/step_seconds': seconds,
        'time/sample_seconds': sampled - began,
        'time/train_seconds': began + seconds - sampled,
        'perf/tokens_per_second': sampledTokens / (sampled - began),
      }),
    };
    await log.append({ kind: 'step', phase: 'reinforcement', step, metrics: measured });
    this.history = [...this.history, measured].slice(-alertMemory);
    const lost = trajectories.filter(isInfrastructure);
    const warn = (message: string) =>
      log.append({ kind: 'noticed', phase: 'reinforcement', step, level: 'warning', message });
    if (begins(this.history, (each) => (each['rollout/infrastructure'] ?? 0) > 0)) {
      const why = lost[0]?.failure ?? 'no reason given';
      await warn(`${lost.length} of ${trajectories.length} rollouts failed and were left out: ${why}`);
    }
    if (step === 1 && calls['rollout/end_trained'] === 0) {
      await warn('The service leaves out the token that ends a turn: the policy never learns to end one.');
    }
    const singles = groups.filter(({ dropped }) => dropped === 'single').length;
    if (begins(this.history, (each) => (each['rollout/dropped_single'] ?? 0) > 0)) {
      await warn(`${singles} of ${groups.length} groups have no two rollouts left: they teach nothing.`);
    }
    if (phantomBefore === 0 && phantoms > 0) await warn(phantomWarning(groups));
    if (begins(this.history, (each) => each['train/updates'] === 0)) await warn(noUpdateReason(groups));
    for (const alert of alertsOf(this.history))
      await log.append({ kind: 'noticed', phase: 'reinforcement', step, ...alert });
    // Told before the checkpoint, as all of a step is: a run that goes on from there does not tell it twice.
    const { overBudget } = this.automatic.at(step, this.totals) ?? {};
    if (overBudget !== undefined) {
      await log.append({ kind: 'noticed', phase: 'reinforcement', step, level: 'info', message: overBudget });
    }
  }

  /** A trainer of the weights that the reinforcement starts from, where the loss has a KL penalty. */
  private async reference(): Promise<Trainer | undefined> {
    const { seed, reinforcement } = this.plan.experiment;
    if (!reinforcement.loss.kl) return undefined;
    const { service } = this.ports;
    const path = this.checkpoints.endOfColdStart();
    this.start ??= path === undefined ? service.create(seed) : service.load(path, false);
    return this.start;
  }

  private async evaluate(
    id: string,
    trainer: Trainer,
    moment: { readonly phase: Phase; readonly step: number },
  ): Promise<'completed' | 'stopped'> {
    const { experiment, evaluation, resume, stop } = this.plan;
    const { log } = this.ports;
    if (evaluation.length === 0 || resume?.evaluated.has(id)) return 'completed';
    if (stop.aborted) return 'stopped';
    const { samplesPerProblem: samples, temperature, topP, topK } = experiment.evaluation;
    const all = evaluation.length * samples;
    await log.append({ kind: 'evaluationStarted', id, ...moment, samples: all });
    const policy = await trainer.policy();
    const options = {
      samples,
      seed: experiment.seed,
      step: moment.step,
      concurrency: experiment.reinforcement.concurrency,
    };
    const parts = this.parts(policy, { temperature, topP, topK });
    // By count alone, so that the journal does not depend on which of them came first.
    const every = Math.ceil(all / evaluationProgressLines);
    let done = 0;
    const advance = async () => {
      done += 1;
      if (done % every === 0 && done < all) await log.append({ kind: 'evaluationProgressed', id, done });
    };
    const roll: Roll = (problem, address, abort) => rollout(problem, address, parts, abort);
    const trajectories = await evaluate(evaluation, options, roll, stop, advance).catch((error: unknown) => {
      this.signal.throwIfAborted();
      if (stop.aborted && isAbort(error)) return undefined;
      throw error;
    });
    await policy.release();
    if (!trajectories) return 'stopped';
    requireWorkingTools(trajectories);
    await log.evaluation(id, trajectories);
    const result = evaluationResult(trajectories, evaluation, this.automatic.before);
    this.automatic.add(id, result);
    await log.append({ kind: 'evaluated', id, ...moment, result });
    await log.commit();
    return 'completed';
  }

  private parts(policy: RolloutParts['policy'], sampling: Sampling): RolloutParts {
    const { sandbox, protocol, tokenizer, rule, clock } = this.ports;
    const { budgets, malformedCalls } = this.plan.experiment;
    return { policy, sandbox, protocol, tokenizer, rule, budgets, malformedCalls, sampling, clock };
  }
}
