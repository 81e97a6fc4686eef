import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import type { RunWatcher } from '../journal/runWatcher';
import { DisposableStore } from '../lib/lifecycle';
import { onDemand } from './onDemand';

/** Keeps the store level with the runs of every folder of the workspace. */
export class WorkspaceRuns extends DisposableStore {
  private readonly store: RunStore;
  private watcher: RunWatcher | undefined;
  private first: Promise<void>;
  private disposed = false;

  constructor(store: RunStore) {
    super();
    this.store = store;
    this.first = this.watch();
    this.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.first = this.watch();
      }),
    );
    this.add({
      dispose: () => {
        this.disposed = true;
        this.watcher?.dispose();
      },
    });
  }

  /** Resolves when every run that was on the disk at the start is in the store. */
  settled(): Promise<void> {
    return this.first;
  }

  async refresh(): Promise<void> {
    await this.watcher?.refresh();
  }

  private async watch(): Promise<void> {
    this.watcher?.dispose();
    this.watcher = undefined;
    const [{ RunWatcher }, { runsFolderOf }] = await Promise.all([onDemand.watcher(), onDemand.folders()]);
    if (this.disposed) return;
    const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => runsFolderOf(uri.fsPath));
    for (const id of this.store.ids()) {
      const folder = this.store.get(id)?.folder;
      if (folder !== undefined && !roots.some((root) => folder.startsWith(root))) this.store.remove(id);
    }
    this.watcher = new RunWatcher(this.store, roots);
    await this.watcher.refresh();
  }
}
