import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import type { RunWatcher } from '../journal/runWatcher';
import { DisposableStore } from '../lib/lifecycle';
import { experimentSuffix, findExperiments } from './experimentPicker';
import { onDemand } from './onDemand';

/**
 * Keeps the store level with the runs of the workspace: those that lie in `.retool/runs` of its folders, and beside its
 * experiment files; and with the evaluations that were imported there.
 */
export class WorkspaceRuns extends DisposableStore {
  private readonly store: RunStore;
  private watcher: RunWatcher | undefined;
  private first: Promise<void>;
  private disposed = false;
  /** The folders that are watched, one a line. */
  private watched = '';

  constructor(store: RunStore) {
    super();
    this.store = store;
    this.first = this.watch();
    const files = this.add(vscode.workspace.createFileSystemWatcher(`**/*${experimentSuffix}`, false, true, false));
    this.add(files.onDidCreate(() => this.follow()));
    this.add(files.onDidDelete(() => this.follow()));
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
    await this.follow();
    await this.watcher?.refresh();
  }

  /** Experiment files came or went: looks elsewhere where that makes a difference. */
  private async follow(): Promise<void> {
    const roots = await this.roots();
    if (roots.join('\n') !== this.watched) await this.watch();
  }

  /** Folders of runs, each once. */
  private async roots(): Promise<string[]> {
    const { runsFolderOf } = await onDemand.folders();
    const experiments = await findExperiments();
    const homes = [
      ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
      ...experiments.map(({ fsPath }) => dirname(fsPath)),
    ];
    return [...new Set(homes)].sort().map(runsFolderOf);
  }

  private async watch(): Promise<void> {
    this.watcher?.dispose();
    this.watcher = undefined;
    const [{ RunWatcher }, roots] = await Promise.all([onDemand.watcher(), this.roots()]);
    if (this.disposed) return;
    this.watched = roots.join('\n');
    for (const id of this.store.ids()) {
      const folder = this.store.get(id)?.folder;
      if (folder !== undefined && !roots.some((root) => folder.startsWith(root))) this.store.remove(id);
    }
    this.store.setShelves(roots.map(dirname));
    this.watcher = new RunWatcher(this.store, roots);
    await this.watcher.refresh();
  }
}
