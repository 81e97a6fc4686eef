import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { RetoolError } from '../lib/errors';
import { DisposableStore } from '../lib/lifecycle';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { askForFile, type ChosenSet } from './evaluationPicker';
import type { EndedJob, EvaluationQueue, Job } from './evaluationQueue';
import { nameIn, nameOfRequest } from './model/askedName';
import { resultWords } from './model/askedRow';
import { timeText } from './model/format';
import type { Choice, Notifier } from './notify';
import { onDemand } from './onDemand';
import type { Strings } from './strings';

interface Parts {
  readonly queue: EvaluationQueue;
  readonly store: RunStore;
  readonly notifier: Notifier;
  readonly strings: Strings;
}

/** An evaluation takes no longer: a notification shows how far it is. Seconds. */
const short = 60;

/** What a person is told of evaluations. */
export class EvaluationNews {
  private readonly parts: Parts;
  /** Those that ended since the queue was last empty. */
  private ended: EndedJob[] = [];
  /** What was said of sets in this window. */
  private readonly told = new Set<string>();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** A set that cannot be had is asked for as a file; what was evaluated already can be looked at. */
  tellOfRefusal(
    run: RunState,
    error: unknown,
    { dataset }: ChosenSet,
    again: (dataset: string) => Promise<void>,
  ): void {
    const { notifier, strings } = this.parts;
    if (isAlready(error)) {
      const known = run.asked.find(({ id }) => id === error.id);
      const name = known ? nameIn(run, known, strings) : error.id;
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
  tellOfSet({ notices }: Job): void {
    const fresh = notices.filter((notice) => !this.told.has(notice));
    for (const notice of fresh) this.told.add(notice);
    if (fresh.length > 0) this.parts.notifier.info(fresh.join(' '));
  }

  tellOfWaiting(job: Job): void {
    const { notifier, strings } = this.parts;
    const { waits, startNow } = strings.evaluation;
    const act = () => this.parts.queue.goOn(job.question.run, job.request.id, job.done);
    notifier.info(waits(nameOfRequest(job.request, strings)), { label: startNow, act });
  }

  /** Only a short one shows how far it is where it hides what a person reads. */
  async showProgress(job: Job, known: AskedEvaluation | undefined): Promise<void> {
    const { store, queue, strings } = this.parts;
    const run = store.get(job.runId);
    if (!run || job.status !== 'running' || queue.jobs.length > 1) return;
    const { evaluationBasis, planEvaluation } = await onDemand.evaluationPlan();
    const { dataset, samples, mode } = job.request.protocol;
    const plan = planEvaluation(
      await evaluationBasis(run),
      { dataset: dataset.name, problems: dataset.problems },
      { samples, mode },
    );
    const left = (plan?.seconds ?? Number.POSITIVE_INFINITY) * (1 - (known?.done ?? 0) / job.all);
    if (left > short) return;
    const { evaluation: words, progress: far } = strings;
    const title = words.title(nameOfRequest(job.request, strings));
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, cancel) =>
        new Promise<void>((resolve) => {
          const owned = new DisposableStore();
          let shown = 0;
          cancel.onCancellationRequested(() => void this.parts.queue.stop(job.runId, job.request.id));
          owned.add(
            this.parts.queue.onDidChange(() => {
              progress.report({
                message: job.silence
                  ? far.silent(timeText(job.silence.since))
                  : words.doneOf(String(job.done), String(job.all)),
                increment: ((job.done - shown) / job.all) * 100,
              });
              shown = job.done;
            }),
          );
          owned.add(
            this.parts.queue.onDidEnd((end) => {
              if (end.job !== job) return;
              owned.dispose();
              resolve();
            }),
          );
        }),
    );
  }

  toCompare(runId: string): Choice {
    const label = this.parts.strings.evaluation.openComparison;
    return { label, act: () => vscode.commands.executeCommand('retool.compareEvaluations', { runId }) };
  }

  private toTrajectories(runId: string, evaluation: string): Choice {
    const label = this.parts.strings.evaluation.openTrajectories;
    const subject = { runId, place: { evaluation } };
    return { label, act: () => vscode.commands.executeCommand('retool.openTrajectory', subject) };
  }

  /** Tells of a failure at once, of results when the queue is empty. */
  tellOfEnd(end: EndedJob): void {
    const { notifier, queue, strings, store } = this.parts;
    const words = strings.evaluation;
    const { job, how, failure } = end;
    const name = nameOfRequest(job.request, strings);
    if (how === 'failed') {
      const goOn = { label: words.goOn, act: () => queue.goOn(job.question.run, job.request.id, job.done) };
      notifier.error(name, failure, job.runId, goOn);
    }
    this.ended.push(end);
    if (queue.jobs.length > 0) return;
    const completed = this.ended.filter((each) => each.how === 'completed');
    this.ended = [];
    const [last] = completed.slice(-1);
    if (!last) return;
    const { runId, request } = last.job;
    const choices = [this.toCompare(runId), this.toTrajectories(runId, request.id)];
    const asked = store.get(runId)?.asked.find(({ id }) => id === request.id);
    const result = asked ? resultWords(asked, strings) : words.noResult;
    notifier.info(
      completed.length > 1 ? words.allEnded(completed.length) : words.ended(nameOfRequest(request, strings), result),
      ...choices,
    );
  }
}

/** The class itself comes with what fetches. */
const isSetNotFetched = (error: unknown): boolean => error instanceof RetoolError && 'set' in error;

export const isAlready = (error: unknown): error is RetoolError & { readonly id: string } =>
  error instanceof RetoolError && 'file' in error && 'id' in error;
