import * as vscode from 'vscode';
import { runsFolderOf } from '../journal/runFolder';
import type { RunStore } from '../journal/runStore';
import { RunWatcher } from '../journal/runWatcher';
import { DisposableStore } from '../lib/lifecycle';

/** Keeps the store level with the runs of every folder of the workspace. */
export class WorkspaceRuns extends DisposableStore {
  private readonly store: RunStore;
  private watcher: RunWatcher | undefined;
  private first: Promise<void>;

  constructor(store: RunStore) {
    super();
    this.store = store;
    this.first = this.watch();
    this.add(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.first = this.watch();
      }),
    );
    this.add({ dispose: () => this.watcher?.dispose() });
  }

  /** Resolves when every run that was on the disk at the start is in the store. */
  settled(): Promise<void> {
    return this.first;
  }

  async refresh(): Promise<void> {
    await this.watcher?.refresh();
  }

  private watch(): Promise<void> {
    this.watcher?.dispose();
    const roots = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => runsFolderOf(uri.fsPath));
    for (const id of this.store.ids()) {
      const folder = this.store.get(id)?.folder;
      if (folder !== undefined && !roots.some((root) => folder.startsWith(root))) this.store.remove(id);
    }
    this.watcher = new RunWatcher(this.store, roots);
    return this.watcher.refresh();
  }
}
