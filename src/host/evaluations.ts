import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { CheckpointSubject, EvaluationQuestion } from '../run/evaluationRequests';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { AskedEvaluations } from './askedEvaluations';
import { deleteAsked } from './evaluationFiles';
import { askForFile, type ChosenSet, pickEvaluationSet } from './evaluationPicker';
import { type EndedJob, type EvaluationMaker, EvaluationQueue, type Job } from './evaluationQueue';
import type { Log } from './log';
import { distinction } from './model/askedDistinction';
import { progressWords, resultWords } from './model/askedRow';
import { timeText } from './model/format';
import { isBase, modelText, subjectText } from './model/subjectText';
import type { NodeOf, TreeNode } from './model/treeNode';
import type { Choice, Notifier } from './notify';
import { onDemand } from './onDemand';
import { chooseOne } from './quickPick';
import { revealFile } from './runFiles';
import type { RunPicker } from './runPicker';
import { askForConsent } from './sandboxConsent';
import { chosenInterpreter } from './sandboxSettings';
import type { Strings } from './strings';

interface Parts {
  readonly maker: () => Promise<EvaluationMaker>;
  readonly isTraining: () => boolean;
  readonly store: RunStore;
  readonly picker: RunPicker;
  readonly notifier: Notifier;
  readonly strings: Strings;
  readonly log: Log;
  readonly memory: vscode.Memento;
}

/** An evaluation takes no longer: a notification shows how far it is. Seconds. */
const short = 60;
const comparison = 'retool.compareEvaluations';

/** What a person asks of evaluations, and what they are told of them. */
export class Evaluations extends DisposableStore {
  readonly queue: EvaluationQueue;
  private readonly asked: AskedEvaluations;
  private readonly parts: Parts;
  /** Those that ended since the queue was last empty. */
  private ended: EndedJob[] = [];
  /** What was said of sets in this window. */
  private readonly told = new Set<string>();

  constructor(parts: Parts) {
    super();
    this.parts = parts;
    this.queue = this.add(
      new EvaluationQueue({
        maker: parts.maker,
        isTraining: parts.isTraining,
        optionsFor: async ({ run }) => {
          const python = await chosenInterpreter(vscode.Uri.file(run));
          const allowUnsafeSandbox = (level: Parameters<typeof askForConsent>[0]) =>
            askForConsent(level, parts.memory, parts.strings);
          return { allowUnsafeSandbox, ...(python && { python }) };
        },
      }),
    );
    this.asked = this.add(new AskedEvaluations(parts.store, (runId) => this.queue.live(runId), parts.log));
    this.add(this.queue.onDidChange((runId) => this.asked.update(runId)));
    this.add(this.queue.onDidWait((job) => this.tellOfWaiting(job)));
    this.add(this.queue.onDidEnd((end) => void this.follow(end)));
  }

  /** Asks on which problems to evaluate a checkpoint, and puts that in the queue. */
  async evaluate(subject: unknown): Promise<void> {
    const { strings } = this.parts;
    const run = await this.pickRun(subject);
    const checkpoint = isCheckpoint(subject) ? subject : await this.pickCheckpoint(run);
    const title = strings.evaluation.pickSet(subjectText(checkpoint, strings), run.name);
    const set = await pickEvaluationSet(run, title, 1, strings);
    await this.ask(run, [subjectOf(checkpoint, run)], set);
  }

  /** The same for every checkpoint that is kept, and the model before training. */
  async evaluateAll(subject: unknown): Promise<void> {
    const { strings } = this.parts;
    const run = await this.pickRun(subject);
    const all = [base, ...run.checkpoints].map((checkpoint) => subjectOf(checkpoint, run));
    await this.ask(
      run,
      all,
      await pickEvaluationSet(run, strings.evaluation.pickSetOfAll(run.name), all.length, strings),
    );
  }

  /** Ends what this window makes and will make. */
  async stopAll(): Promise<void> {
    if (this.queue.jobs.length === 0) throw new RetoolError('run', this.parts.strings.evaluation.noneRunning);
    await this.queue.stopAll();
  }

  async stop(subject: unknown): Promise<void> {
    const { evaluation: words } = this.parts.strings;
    const { run, asked } = await this.pickAsked(subject, isUnderWay, words.pickToStop, words.noneRunning);
    if (asked.status === 'elsewhere') throw this.isElsewhere(run, asked);
    await this.queue.stop(run.id, asked.id);
  }

  async goOn(subject: unknown): Promise<void> {
    const { evaluation: words } = this.parts.strings;
    const fits = ({ status }: AskedEvaluation) => status === 'stopped' || status === 'waiting';
    const { run, asked } = await this.pickAsked(subject, fits, words.pickToResume, words.noneStopped);
    await this.requireHere(run, asked);
    await this.showProgress(await this.queue.goOn(run.folder, asked.id, asked.done), asked);
  }

  async remove(subject: unknown): Promise<void> {
    const { strings } = this.parts;
    const words = strings.evaluation;
    const { run, asked } = await this.pickAsked(subject, () => true, words.pickToDelete, words.noneToDelete);
    await this.requireHere(run, asked);
    const leave = async () => {
      await this.queue.stop(run.id, asked.id, true);
      // Another process may have begun while the question stood.
      await this.requireHere(run, asked);
    };
    try {
      await deleteAsked(run.folder, { ...asked, name: this.nameIn(run, asked) }, strings, leave);
    } finally {
      await this.asked.refresh(run.id);
    }
  }

  /** Shows the file of an evaluation that has ended, where files are shown. */
  async reveal(subject: unknown): Promise<void> {
    const { pickToReveal, noneToReveal } = this.parts.strings.evaluation;
    const { run, asked } = await this.pickAsked(subject, ({ status }) => status === 'done', pickToReveal, noneToReveal);
    const { evaluationFile } = await onDemand.folders();
    await revealFile(evaluationFile(run.folder, asked.id));
  }

  /** Looks anew at those of every run, and at what was imported. */
  async refresh(): Promise<void> {
    await this.asked.refreshAll();
  }

  /** Ends what is made of a run that goes. @throws RetoolError `run` where another process makes some of it. */
  async leave(runId: string): Promise<void> {
    for (const { request } of this.queue.jobs.filter((job) => job.runId === runId).reverse()) {
      await this.queue.stop(runId, request.id, true);
    }
    const run = this.parts.store.get(runId);
    for (const asked of run?.asked ?? []) await this.requireHere(run!, asked);
  }

  private async ask(run: RunState, subjects: readonly CheckpointSubject[], set: ChosenSet): Promise<void> {
    const questions = subjects.map((subject): EvaluationQuestion => ({ run: run.folder, subject, ...set }));
    try {
      await this.put(run, questions);
    } catch (error) {
      this.tellOfRefusal(run, error, set, (dataset) => this.ask(run, subjects, { ...set, dataset }));
    }
  }

  /** @throws RetoolError where the first cannot be made; of many, those that were made already are left out. */
  private async put(run: RunState, questions: readonly EvaluationQuestion[]): Promise<void> {
    const { notifier, strings } = this.parts;
    const words = strings.evaluation;
    const known = new Set(this.queue.jobs);
    const jobs: Job[] = [];
    let refused: unknown;
    for (const question of questions) {
      try {
        jobs.push(await this.queue.add(question));
      } catch (error) {
        if (questions.length === 1 || !(error instanceof RetoolError) || error.code !== 'run') throw error;
        if (!isAlready(error)) refused ??= error;
      }
    }
    await this.asked.refresh(run.id);
    if (refused) notifier.error(words.pickSetOfAll(run.name), refused, run.id);
    const fresh = jobs.filter((job) => !known.has(job));
    const [first] = fresh;
    if (first) {
      this.tellOfSet(first);
      if (fresh.length === 1) void this.showProgress(first, undefined);
    } else if (jobs.length > 0) {
      notifier.info(jobs.length === 1 ? words.inQueue(this.nameOfJob(jobs[0]!)) : words.allInQueue(jobs.length));
    } else if (!refused) notifier.info(words.allDone, this.toCompare(run.id));
  }

  private async pickRun(subject: unknown): Promise<RunState> {
    const { picker, strings } = this.parts;
    return picker.pick(subject, { title: strings.evaluation.pickRun, none: strings.training.noRun });
  }

  private async pickCheckpoint(run: RunState) {
    const { strings } = this.parts;
    const items = [...run.checkpoints].reverse().concat({ ...base, path: '', time: 0 });
    return chooseOne(
      strings.evaluation.pickCheckpoint(run.name),
      items.map(({ phase, step }) => ({ phase, step, label: subjectText({ phase, step }, strings) })),
    );
  }

  /** The evaluation that a row is about, else the only one that fits, else one that is chosen. */
  private async pickAsked(subject: unknown, fits: (asked: AskedEvaluation) => boolean, title: string, none: string) {
    const { store, strings } = this.parts;
    const { runId, id } = (subject ?? {}) as Partial<NodeOf<'evaluation'>>;
    const all = [...store.ids(), ...store.shelfIds()].flatMap((each) => {
      const run = store.get(each);
      return run ? run.asked.map((asked) => ({ run, asked })) : [];
    });
    const fitting = all.filter(({ asked }) => fits(asked)).sort((a, b) => turnOf(a.asked) - turnOf(b.asked));
    const found = id === undefined ? undefined : fitting.find(({ run, asked }) => run.id === runId && asked.id === id);
    if (found) return found;
    const [only, another] = fitting;
    if (!only || id !== undefined) throw new RetoolError('run', none);
    if (!another) return only;
    return chooseOne(
      title,
      fitting.map((each) => ({
        ...each,
        label: this.nameIn(each.run, each.asked),
        description: progressWords(each.asked, strings),
        detail: each.run.name,
      })),
    );
  }

  /** With what tells it from others of the same model. */
  private nameIn(run: RunState, asked: AskedEvaluation): string {
    const unlike = distinction(asked, run.asked, this.parts.strings);
    return [this.nameOf(asked), unlike].filter(Boolean).join(' · ');
  }

  private isElsewhere(run: RunState, asked: AskedEvaluation): RetoolError {
    const { evaluation, training } = this.parts.strings;
    return new RetoolError('run', evaluation.elsewhere(this.nameIn(run, asked)), { hint: training.elsewhereHint });
  }

  /** Asks the disk, which knows what others make. @throws RetoolError `run` where another process makes it. */
  private async requireHere(run: RunState, asked: AskedEvaluation): Promise<void> {
    const own = this.queue.find(run.id, asked.id)?.status;
    if (own === 'running' || own === 'stopping') return;
    const { isLive, workFolder } = await onDemand.evaluationFolder();
    if (await isLive(workFolder(join(run.folder, 'evaluations'), asked.id))) throw this.isElsewhere(run, asked);
  }

  private nameOf({ dataset, subject }: Pick<AskedEvaluation, 'dataset' | 'subject'>): string {
    return `${dataset} · ${modelText(subject, this.parts.strings)}`;
  }

  private nameOfJob({ request }: Job): string {
    return this.nameOf({ dataset: request.protocol.dataset.name, subject: request.subject });
  }

  /** A set that cannot be had is asked for as a file; what was evaluated already can be looked at. */
  private tellOfRefusal(
    run: RunState,
    error: unknown,
    { dataset }: ChosenSet,
    again: (dataset: string) => Promise<void>,
  ): void {
    const { notifier, strings } = this.parts;
    if (isAlready(error)) {
      const known = run.asked.find(({ id }) => id === error.id);
      const name = known ? this.nameIn(run, known) : error.id;
      const message = strings.evaluation.already(name);
      notifier.info(message, this.toTrajectories(run.id, error.id), this.toCompare(run.id));
      return;
    }
    if (!isSetNotFetched(error)) throw error;
    const label = strings.evaluation.chooseFile;
    const act = async () => {
      try {
        await again(`${dataset}=${await askForFile(strings.evaluation.thisFile(dataset), strings)}`);
      } catch (cause) {
        notifier.error(label, cause);
      }
    };
    notifier.error(strings.evaluation.on(dataset), error, run.id, { label, act, isRemedy: true });
  }

  /** Each once: the next checkpoint is evaluated on the same set. */
  private tellOfSet({ notices }: Job): void {
    const fresh = notices.filter((notice) => !this.told.has(notice));
    for (const notice of fresh) this.told.add(notice);
    if (fresh.length > 0) this.parts.notifier.info(fresh.join(' '));
  }

  private tellOfWaiting(job: Job): void {
    const { notifier, strings } = this.parts;
    const { waits, startNow } = strings.evaluation;
    const act = () => this.queue.goOn(job.question.run, job.request.id, job.done);
    notifier.info(waits(this.nameOfJob(job)), { label: startNow, act });
  }

  /** Only a short one shows how far it is where it hides what a person reads. */
  private async showProgress(job: Job, known: AskedEvaluation | undefined): Promise<void> {
    const run = this.parts.store.get(job.runId);
    if (!run || job.status !== 'running' || this.queue.jobs.length > 1) return;
    const { evaluationBasis, planEvaluation } = await onDemand.evaluationPlan();
    const { dataset, samples, mode } = job.request.protocol;
    const plan = planEvaluation(
      await evaluationBasis(run),
      { dataset: dataset.name, problems: dataset.problems },
      { samples, mode },
    );
    const left = (plan?.seconds ?? Number.POSITIVE_INFINITY) * (1 - (known?.done ?? 0) / job.all);
    if (left > short) return;
    const { evaluation: words } = this.parts.strings;
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: words.title(this.nameOfJob(job)), cancellable: true },
      (progress, cancel) =>
        new Promise<void>((resolve) => {
          const owned = new DisposableStore();
          let shown = 0;
          cancel.onCancellationRequested(() => void this.queue.stop(job.runId, job.request.id));
          owned.add(
            this.queue.onDidChange(() => {
              progress.report({
                message: job.silence
                  ? this.parts.strings.progress.silent(timeText(job.silence.since))
                  : words.doneOf(String(job.done), String(job.all)),
                increment: ((job.done - shown) / job.all) * 100,
              });
              shown = job.done;
            }),
          );
          owned.add(
            this.queue.onDidEnd((end) => {
              if (end.job !== job) return;
              owned.dispose();
              resolve();
            }),
          );
        }),
    );
  }

  private toCompare(runId: string): Choice {
    const label = this.parts.strings.evaluation.openComparison;
    return { label, act: () => vscode.commands.executeCommand(comparison, { runId }) };
  }

  private toTrajectories(runId: string, evaluation: string): Choice {
    const label = this.parts.strings.evaluation.openTrajectories;
    const subject = { runId, place: { evaluation } };
    return { label, act: () => vscode.commands.executeCommand('retool.openTrajectory', subject) };
  }

  private async follow(end: EndedJob): Promise<void> {
    const { notifier, strings, log, store } = this.parts;
    const words = strings.evaluation;
    const { job, how, failure } = end;
    await this.asked.refresh(job.runId);
    const name = this.nameOfJob(job);
    log.info(`${job.question.run}: ${job.request.id}: ${how}`);
    if (how === 'failed') {
      const goOn = { label: words.goOn, act: () => this.queue.goOn(job.question.run, job.request.id, job.done) };
      notifier.error(name, failure, job.runId, goOn);
    }
    this.ended.push(end);
    if (this.queue.jobs.length > 0) return;
    const completed = this.ended.filter((each) => each.how === 'completed');
    this.ended = [];
    const [last] = completed.slice(-1);
    if (!last) return;
    const { runId, request } = last.job;
    const choices = [this.toCompare(runId), this.toTrajectories(runId, request.id)];
    const asked = store.get(runId)?.asked.find(({ id }) => id === request.id);
    const result = asked ? resultWords(asked, strings) : words.noResult;
    notifier.info(
      completed.length > 1 ? words.allEnded(completed.length) : words.ended(this.nameOfJob(last.job), result),
      ...choices,
    );
  }
}

/** Those under way come first, then the queue, what others make last. */
function turnOf({ status, place = 0 }: AskedEvaluation): number {
  if (status === 'running' || status === 'stopping') return -2;
  if (status === 'waiting') return -1;
  return status === 'elsewhere' ? Number.MAX_SAFE_INTEGER : place;
}

const base = { phase: 'coldStart', step: 0 } as const;

const isCheckpoint = (subject: unknown): subject is NodeOf<'checkpoint'> =>
  (subject as TreeNode | undefined)?.kind === 'checkpoint';

/** The class itself comes with what fetches. */
const isSetNotFetched = (error: unknown): boolean => error instanceof RetoolError && 'set' in error;

const isAlready = (error: unknown): error is RetoolError & { readonly id: string } =>
  error instanceof RetoolError && 'file' in error && 'id' in error;

const isUnderWay = ({ status }: AskedEvaluation): boolean => status !== 'done' && status !== 'stopped';

function subjectOf({ phase, step }: Pick<CheckpointSubject, 'phase' | 'step'>, run: RunState): CheckpointSubject {
  if (isBase({ phase, step })) return { kind: 'checkpoint', phase, step };
  const saved = run.checkpoints.find((candidate) => candidate.phase === phase && candidate.step === step);
  return { kind: 'checkpoint', path: saved?.path, phase, step };
}
