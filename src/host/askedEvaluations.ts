import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { KnownEvaluation } from '../run/evaluationFolder';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { onDemand } from './onDemand';

/** What the queue of this window knows better than the disk. */
export type LiveEvaluation = Pick<AskedEvaluation, 'status' | 'done' | 'secondsLeft' | 'place' | 'silentSince'>;

/** The editor is told not to watch `.retool`, whose files come too often: folders are looked at, as those of runs are. */
const lookAgainMilliseconds = 1000;
/** What another process makes is counted so often. */
const elsewhereMilliseconds = 5000;

/** Keeps the store level with the evaluations that lie in the folders of its runs. */
export class AskedEvaluations extends DisposableStore {
  private readonly store: RunStore;
  private readonly live: (runId: string) => ReadonlyMap<string, LiveEvaluation>;
  private readonly listed = new Map<string, readonly AskedEvaluation[]>();
  /** What the folders of evaluations looked like when they were listed. */
  private readonly looks = new Map<string, string>();
  private readonly reading = new Map<string, Promise<void>>();
  private readonly due = new Map<string, NodeJS.Timeout>();
  private readonly leftOut: (why: string) => void;
  private looking = false;

  /**
   * @param live by id, those that this window makes or will make.
   * @param log is told once, in a sentence, of each evaluation that is left out.
   */
  constructor(
    store: RunStore,
    live: (runId: string) => ReadonlyMap<string, LiveEvaluation>,
    log: { warn(sentence: string): void },
  ) {
    super();
    this.store = store;
    this.live = live;
    const told = new Set<string>();
    this.leftOut = (why) => {
      if (!told.has(why)) log.warn(why);
      told.add(why);
    };
    this.add(store.onDidChange((id) => this.follow(id)));
    for (const id of store.ids()) this.follow(id);
    const timer = setInterval(() => void this.look(), lookAgainMilliseconds);
    timer.unref();
    this.add({ dispose: () => [timer, ...this.due.values()].forEach(clearTimeout) });
  }

  /** Reads the evaluations of a run anew. One after the other: what was read last is what is shown. */
  refresh(runId: string): Promise<void> {
    const reading = (this.reading.get(runId) ?? Promise.resolve()).then(() => this.read(runId));
    this.reading.set(runId, reading);
    return reading;
  }

  /** Reads those of every run anew, and what was imported. */
  async refreshAll(): Promise<void> {
    for (const id of [...this.listed.keys()]) await this.refresh(id);
  }

  private async read(runId: string): Promise<void> {
    const run = this.store.get(runId);
    if (!run) return;
    this.looks.set(runId, await lookOf(run));
    const asked = await listAsked(run, this.leftOut);
    if (!this.store.get(runId)) return;
    this.listed.set(runId, asked);
    this.update(runId);
  }

  /** Reads those anew whose folder has changed, whoever changed it. */
  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      for (const id of [...this.listed.keys()]) {
        const run = this.store.get(id);
        if (run && (await lookOf(run)) !== this.looks.get(id)) await this.refresh(id);
      }
    } finally {
      this.looking = false;
    }
  }

  /** Shows what the queue says now. */
  update(runId: string): void {
    const live = this.live(runId);
    const asked = (this.listed.get(runId) ?? []).map((each) => ({ ...each, ...live.get(each.id) }));
    this.store.setAsked(runId, asked);
    if (asked.some(({ status }) => status === 'elsewhere')) this.soon(runId, elsewhereMilliseconds);
  }

  private follow(runId: string): void {
    if (!this.store.get(runId)) for (const known of [this.listed, this.looks, this.reading]) known.delete(runId);
    else if (!this.listed.has(runId)) {
      this.listed.set(runId, []);
      void this.refresh(runId);
    }
  }

  private soon(runId: string, milliseconds: number): void {
    if (this.due.has(runId)) return;
    const look = () => {
      this.due.delete(runId);
      void this.refresh(runId);
    };
    this.due.set(runId, setTimeout(look, milliseconds));
  }
}

const evaluationsIn = ({ folder }: RunState): string => join(folder, 'evaluations');

/**
 * Changes when an evaluation comes, begins, ends, goes or is put into the place of another: files come into folders and go,
 * and a folder has the time of that. Generations come into one file, too often to look at each.
 */
async function lookOf(run: RunState): Promise<string> {
  const folder = evaluationsIn(run);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.map((entry) => entry.name);
  const own = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const times = await Promise.all([folder, ...own].map((path) => stat(path).catch(() => undefined)));
  return JSON.stringify([names, times.map((found) => found?.mtimeMs)]);
}

async function listAsked(run: RunState, onLeftOut: (why: string) => void): Promise<AskedEvaluation[]> {
  const evaluations = evaluationsIn(run);
  const entries = await readdir(evaluations, { withFileTypes: true }).catch(() => []);
  // Most runs have none, and need no schemas to be read for that.
  if (!entries.some((entry) => entry.isDirectory())) return [];
  const { listEvaluations, readSummary, resultFile } = await onDemand.evaluationFolder();
  const known = await listEvaluations(evaluations, onLeftOut);
  return Promise.all(
    known.map(async (each) => {
      const { id, result } = each.request;
      if (each.status !== 'done' || result)
        return { ...askedOf(each), result: each.status === 'done' ? result : undefined };
      const summary = await readSummary(resultFile(evaluations, id));
      return { ...askedOf(each), result: summary && { average: summary.average_at_n, interval: summary.interval } };
    }),
  );
}

function askedOf({ request, status, done }: KnownEvaluation): AskedEvaluation {
  const { id, subject, source, protocol } = request;
  const { dataset, samples, mode, temperature, topP, topK, seed } = protocol;
  return {
    id,
    dataset: dataset.name,
    problems: dataset.problems,
    samples,
    settings: { mode, temperature, topP, topK, seed },
    subject,
    source,
    status: status === 'running' ? 'elsewhere' : status,
    done,
    all: dataset.problems * samples,
  };
}
