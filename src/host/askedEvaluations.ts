import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { KnownEvaluation } from '../run/evaluationFolder';
import type { AskedEvaluation, RunState } from '../schema/runState';
import { onDemand } from './onDemand';

/** What the queue of this window knows better than the disk. */
export type LiveEvaluation = Pick<AskedEvaluation, 'status' | 'done' | 'secondsLeft'>;

/** Files that come and go with an evaluation; generations come too often to look at each. */
const files = ['runs/*/evaluations', 'evaluations'].map(
  (folder) => `**/.retool/${folder}/{*.jsonl,*/request.json,*/lock.json}`,
);
const settleMilliseconds = 200;
/** What another process makes is counted so often. */
const elsewhereMilliseconds = 5000;

/** Keeps the store level with the evaluations that lie in the folders of its runs. */
export class AskedEvaluations extends DisposableStore {
  private readonly store: RunStore;
  private readonly live: (runId: string) => ReadonlyMap<string, LiveEvaluation>;
  private readonly listed = new Map<string, readonly AskedEvaluation[]>();
  private readonly due = new Map<string, NodeJS.Timeout>();

  /** @param live by id, those that this window makes or will make. */
  constructor(store: RunStore, live: (runId: string) => ReadonlyMap<string, LiveEvaluation>) {
    super();
    this.store = store;
    this.live = live;
    this.add(store.onDidChange((id) => this.follow(id)));
    for (const id of store.ids()) this.follow(id);
    for (const pattern of files) {
      const watcher = this.add(vscode.workspace.createFileSystemWatcher(pattern));
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) {
        this.add(event(({ fsPath }) => this.touched(fsPath)));
      }
    }
    this.add({ dispose: () => [...this.due.values()].forEach(clearTimeout) });
  }

  /** Reads the evaluations of a run anew. */
  async refresh(runId: string): Promise<void> {
    const run = this.store.get(runId);
    if (!run) return;
    this.listed.set(runId, await listAsked(run));
    this.update(runId);
  }

  /** Reads anew what was imported. */
  async refreshImported(): Promise<void> {
    for (const id of this.listed.keys()) if (this.store.isShelf(id)) await this.refresh(id);
  }

  /** Shows what the queue says now. */
  update(runId: string): void {
    const live = this.live(runId);
    const asked = (this.listed.get(runId) ?? []).map((each) => ({ ...each, ...live.get(each.id) }));
    this.store.setAsked(runId, asked);
    if (asked.some(({ status }) => status === 'elsewhere')) this.soon(runId, elsewhereMilliseconds);
  }

  private follow(runId: string): void {
    if (!this.store.get(runId)) this.listed.delete(runId);
    else if (!this.listed.has(runId)) {
      this.listed.set(runId, []);
      void this.refresh(runId);
    }
  }

  /** @param path `<run>/evaluations/<id>.jsonl` or `<run>/evaluations/<id>/request.json`; a shelf is as a run. */
  private touched(path: string): void {
    const folder = dirname(path);
    const evaluations = basename(folder) === 'evaluations' ? folder : dirname(folder);
    const home = dirname(evaluations);
    const runId = this.store.shelfAt(home) ?? basename(home);
    if (this.store.get(runId)) this.soon(runId, settleMilliseconds);
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

async function listAsked({ folder }: RunState): Promise<AskedEvaluation[]> {
  const evaluations = join(folder, 'evaluations');
  const entries = await readdir(evaluations, { withFileTypes: true }).catch(() => []);
  // Most runs have none, and need no schemas to be read for that.
  if (!entries.some((entry) => entry.isDirectory())) return [];
  const { listEvaluations, readSummary, resultFile } = await onDemand.evaluationFolder();
  const known = await listEvaluations(evaluations);
  return Promise.all(
    known.map(async (each) => {
      const summary = each.status === 'done' ? await readSummary(resultFile(evaluations, each.request.id)) : undefined;
      const result = summary && { average: summary.average_at_n, interval: summary.interval };
      return { ...askedOf(each), result };
    }),
  );
}

function askedOf({ request, status, done }: KnownEvaluation): AskedEvaluation {
  const { id, subject, source, protocol } = request;
  const { dataset, samples } = protocol;
  return {
    id,
    dataset: dataset.name,
    problems: dataset.problems,
    samples,
    subject,
    source,
    status: status === 'running' ? 'elsewhere' : status,
    done,
    all: dataset.problems * samples,
  };
}
