import { type FSWatcher, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Disposable } from '../lib/lifecycle';
import { JournalTail } from './journalFile';
import { exists, runPaths } from './runFolder';
import { isLive } from './runLock';
import type { RunStore } from './runStore';

interface Watched {
  readonly folder: string;
  readonly tail: JournalTail;
  watcher: FSWatcher | undefined;
  reading: Promise<void> | undefined;
  again: boolean;
}

/** Not every file system reports changes, and none reports the death of a writer. */
const lookAgainMilliseconds = 1000;

/** Keeps a store level with the runs below some folders, whoever writes them. */
export class RunWatcher implements Disposable {
  private readonly store: RunStore;
  private readonly roots: readonly string[];
  private readonly watched = new Map<string, Watched>();
  private readonly timer: NodeJS.Timeout;
  private scanning: Promise<void> | undefined;

  /** @param roots folders of runs; they need not exist yet. */
  constructor(store: RunStore, roots: readonly string[]) {
    this.store = store;
    this.roots = roots;
    this.timer = setInterval(() => void this.refresh(), lookAgainMilliseconds);
    this.timer.unref();
  }

  /** Looks for runs that came, changed or went. Resolves when the store has what the disk had at the call. */
  refresh(): Promise<void> {
    this.scanning ??= this.scan().finally(() => {
      this.scanning = undefined;
    });
    return this.scanning;
  }

  dispose(): void {
    clearInterval(this.timer);
    for (const { watcher } of this.watched.values()) watcher?.close();
    this.watched.clear();
  }

  private async scan(): Promise<void> {
    const found = new Set<string>();
    for (const root of this.roots) {
      for (const entry of await readdir(root, { withFileTypes: true }).catch(() => [])) {
        const folder = join(root, entry.name);
        if (!entry.isDirectory() || !(await exists(join(folder, runPaths.journal)))) continue;
        found.add(folder);
        const run = this.watched.get(folder) ?? this.begin(folder);
        await this.read(run);
      }
    }
    for (const [folder, { watcher }] of this.watched) {
      if (found.has(folder)) continue;
      watcher?.close();
      this.watched.delete(folder);
      this.store.remove(basename(folder));
    }
  }

  private begin(folder: string): Watched {
    const tail = new JournalTail(join(folder, runPaths.journal));
    const run: Watched = { folder, tail, watcher: undefined, reading: undefined, again: false };
    this.watched.set(folder, run);
    try {
      run.watcher = watch(folder, (_event, name) => {
        if (name === null || name === runPaths.journal) void this.read(run);
      });
      run.watcher.on('error', () => run.watcher?.close());
    } catch {
      // The timer alone keeps it level.
    }
    return run;
  }

  /** One read at a time per run; a change during a read makes one more. */
  private async read(run: Watched): Promise<void> {
    if (run.reading !== undefined) {
      run.again = true;
      return run.reading;
    }
    run.reading = (async () => {
      do {
        run.again = false;
        const id = basename(run.folder);
        const records = await run.tail.read().catch(() => []);
        this.store.setLive(id, await isLive(run.folder));
        this.store.ingest(id, run.folder, records, run.tail.skipped);
      } while (run.again);
    })().finally(() => {
      run.reading = undefined;
    });
    return run.reading;
  }
}
