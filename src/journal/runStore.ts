import { DisposableStore, Emitter } from '../lib/lifecycle';
import type { JournalRecord } from '../schema/journal';
import type { AskedEvaluation, PendingAction, RunState } from '../schema/runState';
import { emptyRun, reduceAll } from './reduce';

/** What every view reads. It never writes: journals go in at `ingest`, states come out at `get`. */
export class RunStore extends DisposableStore {
  private readonly runs = new Map<string, RunState>();
  private readonly shelves = new Map<string, RunState>();
  private readonly live = new Map<string, boolean>();
  private readonly pending = new Map<string, PendingAction>();
  private readonly asked = new Map<string, readonly AskedEvaluation[]>();
  private readonly changes = this.add(new Emitter<string>());
  /** Fires with the id of a run that appeared, changed or went. */
  readonly onDidChange = this.changes.event;

  /** Folds records into a run. One that was seen before changes nothing, so a tail and a writer may both deliver it. */
  ingest(id: string, folder: string, records: readonly JournalRecord[], skipped = 0): void {
    const before = this.runs.get(id);
    let run = reduceAll(before ?? emptyRun(id, folder), records);
    if (skipped !== run.skipped) run = { ...run, skipped };
    if (run === before) return;
    this.runs.set(id, run);
    this.changes.fire(id);
  }

  /** Says whether a run's writer is alive. One that has not ended and has no writer is interrupted. */
  setLive(id: string, live: boolean): void {
    if (this.live.get(id) === live) return;
    this.live.set(id, live);
    if (this.runs.has(id)) this.changes.fire(id);
  }

  /** Says what was asked of a run, so that every view shows it at once; undefined once it has come about. */
  setPending(id: string, pending: PendingAction | undefined): void {
    if (this.pending.get(id) === pending) return;
    if (pending) this.pending.set(id, pending);
    else this.pending.delete(id);
    if (this.runs.has(id)) this.changes.fire(id);
  }

  /** Says which evaluations of a run were asked for, oldest first. */
  setAsked(id: string, asked: readonly AskedEvaluation[]): void {
    if (asked.length === 0 && !this.asked.get(id)?.length) return;
    this.asked.set(id, asked);
    if (this.runs.has(id) || this.shelves.has(id)) this.changes.fire(id);
  }

  remove(id: string): void {
    this.live.delete(id);
    this.pending.delete(id);
    this.asked.delete(id);
    if (this.runs.delete(id)) this.changes.fire(id);
  }

  get(id: string): RunState | undefined {
    const run = this.runs.get(id) ?? this.shelves.get(id);
    if (!run) return undefined;
    const status = run.status === 'running' && !this.live.get(id) ? 'interrupted' : run.status;
    const pending = this.pending.get(id);
    const asked = this.asked.get(id) ?? run.asked;
    return status === run.status && pending === undefined && asked === run.asked
      ? run
      : { ...run, status, pending, asked };
  }

  /** Says which folders (`.retool`) may hold evaluations that belong to no run. */
  setShelves(folders: readonly string[]): void {
    const named = shelfIdsOf(folders);
    for (const [id, { folder }] of [...this.shelves]) {
      if (named.get(folder)?.id === id) continue;
      this.shelves.delete(id);
      this.asked.delete(id);
      this.changes.fire(id);
    }
    for (const [folder, { id, name }] of named) {
      if (this.shelves.has(id)) continue;
      // To every view it is a run of which there is nothing but evaluations.
      this.shelves.set(id, { ...emptyRun(id, folder), name, status: 'completed' });
      this.changes.fire(id);
    }
  }

  /** The id of a folder that may hold evaluations that belong to no run. */
  shelfAt(folder: string): string | undefined {
    return [...this.shelves.values()].find((shelf) => shelf.folder === folder)?.id;
  }

  isShelf(id: string): boolean {
    return this.shelves.has(id);
  }

  /** Those that hold evaluations. */
  shelfIds(): string[] {
    return [...this.shelves.keys()].filter((id) => this.asked.get(id)?.length).sort();
  }

  /** Newest first. */
  ids(): string[] {
    const startOf = (id: string) => this.runs.get(id)?.startedAt ?? 0;
    return [...this.runs.keys()].sort((a, b) => startOf(b) - startOf(a) || b.localeCompare(a));
  }
}

/** Called after the folders that they lie in; a name that several share is numbered. */
function shelfIdsOf(folders: readonly string[]): ReadonlyMap<string, { readonly id: string; readonly name: string }> {
  const uses = new Map<string, number>();
  return new Map(
    [...folders].sort().map((folder) => {
      const name = folder.split(/[\\/]/).at(-2) || folder;
      const use = (uses.get(name) ?? 0) + 1;
      uses.set(name, use);
      return [folder, { id: `imported-in-${name}${use > 1 ? `-${use}` : ''}`, name }];
    }),
  );
}
