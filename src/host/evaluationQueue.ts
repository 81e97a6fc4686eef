import { basename } from 'node:path';
import type { Disposable, Event } from '../lib/lifecycle';
import { Emitter } from '../lib/lifecycle';
import { Pace } from '../lib/pace';
import type { Silence } from '../lib/silence';
import type { EvaluationQuestion, PreparedEvaluation } from '../run/evaluationRequests';
import type { ActiveEvaluation, EvaluateOptions, EvaluationProgress } from '../run/evaluations';
import type { EvaluationRequest } from '../schema/evaluation';
import type { LiveEvaluation } from './askedEvaluations';

/** Progress is told at most so often. */
const tellMilliseconds = 200;

/** What makes evaluations; loaded with the first one. */
export interface EvaluationMaker {
  /** @throws RetoolError where it cannot be made; it is remembered where it can. */
  request(question: EvaluationQuestion): Promise<Pick<PreparedEvaluation, 'request' | 'notices'>>;
  /** What an evaluation asked that stopped. @throws RetoolError where that has changed. */
  questionOf(run: string, id: string): Promise<EvaluationQuestion>;
  evaluate(options: EvaluateOptions, onProgress: (progress: EvaluationProgress) => void): Promise<ActiveEvaluation>;
}

/** An evaluation that this window makes or will make. */
export interface Job {
  readonly runId: string;
  readonly request: EvaluationRequest;
  readonly question: EvaluationQuestion;
  /** What a person should know of its problems, a sentence each. */
  readonly notices: readonly string[];
  status: 'queued' | 'waiting' | 'running' | 'stopping';
  done: number;
  readonly all: number;
  /** By the pace so far. */
  secondsLeft: number | undefined;
  /** The training service does not answer, and is waited for. */
  silence: Silence | undefined;
  /** A person wants it beside a training. */
  beside: boolean;
}

/** How a job ended: `file` has the results where it is `completed`. */
export interface EndedJob {
  readonly job: Job;
  readonly how: 'completed' | 'stopped' | 'failed';
  readonly failure: unknown;
}

interface Parts {
  readonly maker: () => Promise<EvaluationMaker>;
  /** True while a run of this window is trained: both would share the machine. */
  readonly isTraining: () => boolean;
  readonly optionsFor: (
    question: EvaluationQuestion,
  ) => Promise<Pick<EvaluateOptions, 'python' | 'allowUnsafeSandbox'>>;
}

/** Makes one evaluation after the other. What it has not finished when the window closes lies on the disk as stopped. */
export class EvaluationQueue implements Disposable {
  private readonly parts: Parts;
  private readonly all: Job[] = [];
  private active: { readonly job: Job; running: ActiveEvaluation | undefined } | undefined;
  private readonly changes = new Emitter<string>();
  private readonly ends = new Emitter<EndedJob>();
  private readonly waits = new Emitter<Job>();
  /** With the id of the run. */
  readonly onDidChange: Event<string> = this.changes.event;
  readonly onDidEnd: Event<EndedJob> = this.ends.event;
  /** A job begins to wait for a training. */
  readonly onDidWait: Event<Job> = this.waits.event;
  private closed = false;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  get jobs(): readonly Job[] {
    return this.all;
  }

  /** By id, for the rows of a run. */
  live(runId: string): ReadonlyMap<string, LiveEvaluation> {
    const queued = this.all.filter(({ status }) => status === 'queued');
    const own = this.all.filter((job) => job.runId === runId);
    return new Map(
      own.map((job) => {
        const { request, status, done, secondsLeft, silence } = job;
        const place = status === 'queued' ? queued.indexOf(job) + 1 : undefined;
        return [request.id, { status, done, secondsLeft, place, silentSince: silence?.since }];
      }),
    );
  }

  find(runId: string, id: string): Job | undefined {
    return this.all.find((job) => job.runId === runId && job.request.id === id);
  }

  /** @throws RetoolError where it cannot be made. Resolves when it stands in the queue, to which it is added once. */
  async add(question: EvaluationQuestion): Promise<Job> {
    return this.put(question, await (await this.parts.maker()).request(question), 0);
  }

  /** Goes on with one that stopped; one that waits for a training begins. @throws RetoolError where it has changed. */
  async goOn(run: string, id: string, done: number): Promise<Job> {
    const waiting = this.find(basename(run), id);
    if (waiting) {
      waiting.beside = true;
      this.next();
      return waiting;
    }
    const maker = await this.parts.maker();
    const question = await maker.questionOf(run, id);
    return this.put(question, await maker.request(question), done);
  }

  /**
   * What it has sampled is kept. Resolves when it has ended.
   *
   * @param atOnce gives up samples in flight, as a second stop does.
   */
  async stop(runId: string, id: string, atOnce = false): Promise<void> {
    const job = this.find(runId, id);
    if (!job) return;
    if (this.active?.job !== job) {
      this.remove(job);
      this.ends.fire({ job, how: 'stopped', failure: undefined });
      return;
    }
    const again = job.status === 'stopping';
    job.status = 'stopping';
    this.changes.fire(runId);
    this.active.running?.stop(atOnce || again);
    await this.ended(job);
  }

  /** Empties the queue, what is not under way first. What was sampled is kept. Resolves when all have ended. */
  async stopAll(): Promise<void> {
    for (const { runId, request } of [...this.all].reverse()) await this.stop(runId, request.id);
  }

  /** A training began or ended. */
  next(): void {
    if (this.closed || this.active) return;
    const job = this.all[0];
    if (!job) return;
    if (job.beside || !this.parts.isTraining()) void this.make(job);
    else if (job.status !== 'waiting') {
      job.status = 'waiting';
      this.changes.fire(job.runId);
      this.waits.fire(job);
    }
  }

  dispose(): void {
    this.closed = true;
    this.active?.running?.stop(true);
  }

  private put(
    question: EvaluationQuestion,
    { request, notices }: Pick<PreparedEvaluation, 'request' | 'notices'>,
    done: number,
  ): Job {
    const runId = basename(question.run);
    const known = this.find(runId, request.id);
    if (known) return known;
    const { dataset, samples } = request.protocol;
    const all = dataset.problems * samples;
    const job: Job = {
      runId,
      request,
      question,
      notices,
      status: 'queued',
      done,
      all,
      secondsLeft: undefined,
      silence: undefined,
      beside: false,
    };
    this.all.push(job);
    this.changes.fire(runId);
    this.next();
    return job;
  }

  private remove(job: Job): void {
    this.all.splice(this.all.indexOf(job), 1);
    this.moved(job);
  }

  /** It left its place, and so did those behind it. */
  private moved(job: Job): void {
    for (const runId of new Set([job, ...this.all].map((each) => each.runId))) this.changes.fire(runId);
  }

  private ended(job: Job): Promise<void> {
    return new Promise((resolve) => {
      const heard = this.onDidEnd((end) => {
        if (end.job !== job) return;
        heard.dispose();
        resolve();
      });
    });
  }

  private async make(job: Job): Promise<void> {
    this.active = { job, running: undefined };
    job.status = 'running';
    this.moved(job);
    let end: Omit<EndedJob, 'job'>;
    try {
      end = await this.evaluate(job);
    } catch (failure) {
      end = { how: 'failed', failure };
    }
    this.active = undefined;
    this.remove(job);
    if (this.closed) return;
    this.ends.fire({ job, ...end });
    this.next();
  }

  private async evaluate(job: Job): Promise<Omit<EndedJob, 'job'>> {
    const [maker, options] = [await this.parts.maker(), await this.parts.optionsFor(job.question)];
    const pace = new Pace(job.done);
    let due: NodeJS.Timeout | undefined;
    const tell = () => {
      due = undefined;
      job.secondsLeft = job.silence ? undefined : pace.secondsLeft(job.done, job.all);
      this.changes.fire(job.runId);
    };
    const onSilence = (silence: Silence | undefined) => {
      if (!silence && job.silence) pace.skip(Date.now() - job.silence.since);
      job.silence = silence;
      job.secondsLeft = undefined;
      this.changes.fire(job.runId);
    };
    const running = await maker.evaluate({ ...job.question, ...options, onSilence }, ({ done }) => {
      job.done = done;
      due ??= setTimeout(tell, tellMilliseconds);
    });
    job.done = Math.max(job.done, running.from);
    pace.startFrom(running.from);
    this.changes.fire(job.runId);
    if (this.active) this.active.running = running;
    // It was stopped while it began.
    if (job.status === 'stopping' || this.closed) running.stop(true);
    const how = await running.done.finally(() => clearTimeout(due));
    return { how: how === 'completed' ? how : 'stopped', failure: undefined };
  }
}
