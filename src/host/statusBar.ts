import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import { startText } from './model/format';
import { rewardNote, statusText } from './model/statusText';
import type { Strings } from './strings';

/** One item for the newest run that is running; none when nothing runs. */
export function createStatusBar(store: RunStore, strings: Strings): DisposableStore & { text(): string | undefined } {
  const owned = new DisposableStore();
  const item = owned.add(vscode.window.createStatusBarItem('retool.status', vscode.StatusBarAlignment.Right, 100));
  item.name = strings.statusBar.name;
  let shown = false;
  let target: string | undefined;
  const update = () => {
    const run = store
      .ids()
      .map((id) => store.get(id))
      .find((candidate) => candidate?.status === 'running');
    shown = run !== undefined;
    if (!run) return item.hide();
    item.text = `$(sync~spin) ${statusText(run, strings)}`;
    const what = strings.statusBar.tooltip(`${run.name} · ${startText(run.startedAt)}`);
    item.tooltip = [what, rewardNote(run, strings)].filter(Boolean).join('\n');
    // A new command each time would be disposed under a click.
    if (target !== run.id) {
      item.command = { command: 'retool.openDashboard', title: strings.tree.dashboard, arguments: [run.id] };
      target = run.id;
    }
    item.accessibilityInformation = { label: statusText(run, strings), role: 'button' };
    item.show();
  };
  owned.add(store.onDidChange(update));
  update();
  return Object.assign(owned, { text: () => (shown ? item.text : undefined) });
}
