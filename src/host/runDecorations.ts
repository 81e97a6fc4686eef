import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { RunState } from '../schema/runState';
import type { Strings } from './strings';

const scheme = 'retool-run';

export const runUri = (run: RunState): vscode.Uri => vscode.Uri.from({ scheme, path: `/${run.id}`, query: run.status });

/** A letter at the end of a run's row: R for a running one, ! for a failed one. */
export function registerRunDecorations(store: RunStore, strings: Strings): DisposableStore {
  const owned = new DisposableStore();
  const changes = owned.add(new vscode.EventEmitter<vscode.Uri>());
  owned.add(
    store.onDidChange((id) => {
      const run = store.get(id);
      if (run) changes.fire(runUri(run));
    }),
  );
  owned.add(
    vscode.window.registerFileDecorationProvider({
      onDidChangeFileDecorations: changes.event,
      provideFileDecoration(uri) {
        if (uri.scheme !== scheme) return undefined;
        if (uri.query === 'running') return new vscode.FileDecoration('R', strings.tree.badgeRunning);
        if (uri.query === 'failed') return new vscode.FileDecoration('!', strings.tree.badgeFailed);
        return undefined;
      },
    }),
  );
  return owned;
}
