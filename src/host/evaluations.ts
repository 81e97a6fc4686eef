import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { CheckpointSubject, EvaluationQuestion } from '../run/evaluationRequests';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { AskedEvaluations } from './askedEvaluations';
import { pickAsked } from './askedPicker';
import { deleteAsked } from './evaluationFiles';
import { EvaluationNews, isAlready } from './evaluationNews';
import { type ChosenSet, pickEvaluationSet } from './evaluationPicker';
import { type EndedJob, type EvaluationMaker, EvaluationQueue, type Job } from './evaluationQueue';
import type { Log } from './log';
import { nameIn, nameOfRequest } from './model/askedName';
import { isBase, subjectText } from './model/subjectText';
import type { NodeOf, TreeNode } from './model/treeNode';
import type { Notifier } from './notify';
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

/** What a person asks of evaluations. */
export class Evaluations extends DisposableStore {
  readonly queue: EvaluationQueue;
  private readonly asked: AskedEvaluations;
  private readonly parts: Parts;
  private readonly news: EvaluationNews;

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
    this.news = new EvaluationNews({ ...parts, queue: this.queue });
    this.add(this.queue.onDidWait((job) => this.news.tellOfWaiting(job)));
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
    await this.news.showProgress(await this.queue.goOn(run.folder, asked.id, asked.done), asked);
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
      await deleteAsked(run.folder, { ...asked, name: nameIn(run, asked, this.parts.strings) }, strings, leave);
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
      this.news.tellOfRefusal(run, error, set, (dataset) => this.ask(run, subjects, { ...set, dataset }));
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
      this.news.tellOfSet(first);
      if (fresh.length === 1) void this.news.showProgress(first, undefined);
    } else if (jobs.length > 0) {
      notifier.info(
        jobs.length === 1 ? words.inQueue(nameOfRequest(jobs[0]!.request, strings)) : words.allInQueue(jobs.length),
      );
    } else if (!refused) notifier.info(words.allDone, this.news.toCompare(run.id));
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

  private pickAsked(subject: unknown, fits: (asked: AskedEvaluation) => boolean, title: string, none: string) {
    return pickAsked(this.parts.store, subject, { fits, title, none }, this.parts.strings);
  }

  /** Shows in the tree what ended, and tells of it. */
  private async follow(end: EndedJob): Promise<void> {
    const { job, how } = end;
    await this.asked.refresh(job.runId);
    this.parts.log.info(`${job.question.run}: ${job.request.id}: ${how}`);
    this.news.tellOfEnd(end);
  }

  private isElsewhere(run: RunState, asked: AskedEvaluation): RetoolError {
    const { evaluation, training } = this.parts.strings;
    return new RetoolError('run', evaluation.elsewhere(nameIn(run, asked, this.parts.strings)), {
      hint: training.elsewhereHint,
    });
  }

  /** Asks the disk, which knows what others make. @throws RetoolError `run` where another process makes it. */
  private async requireHere(run: RunState, asked: AskedEvaluation): Promise<void> {
    const own = this.queue.find(run.id, asked.id)?.status;
    if (own === 'running' || own === 'stopping') return;
    const { isLive, workFolder } = await onDemand.evaluationFolder();
    if (await isLive(workFolder(join(run.folder, 'evaluations'), asked.id))) throw this.isElsewhere(run, asked);
  }
}

const base = { phase: 'coldStart', step: 0 } as const;

const isCheckpoint = (subject: unknown): subject is NodeOf<'checkpoint'> =>
  (subject as TreeNode | undefined)?.kind === 'checkpoint';

const isUnderWay = ({ status }: AskedEvaluation): boolean => status !== 'done' && status !== 'stopped';

function subjectOf({ phase, step }: Pick<CheckpointSubject, 'phase' | 'step'>, run: RunState): CheckpointSubject {
  if (isBase({ phase, step })) return { kind: 'checkpoint', phase, step };
  const saved = run.checkpoints.find((candidate) => candidate.phase === phase && candidate.step === step);
  return { kind: 'checkpoint', path: saved?.path, phase, step };
}
