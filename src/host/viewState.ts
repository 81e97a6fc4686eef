import * as vscode from 'vscode';
import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';

/** Keeps context keys of `when` clauses, and the message of the empty view, level with the store. */
export function followRuns(store: RunStore, view: vscode.TreeView<unknown>): DisposableStore {
  const owned = new DisposableStore();
  const keys = new Map<string, unknown>();
  const set = (key: string, value: unknown) => {
    if (keys.get(key) === value) return;
    keys.set(key, value);
    void vscode.commands.executeCommand('setContext', `retool.${key}`, value);
  };
  const update = () => {
    const runs = store.ids().flatMap((id) => store.get(id) ?? []);
    const running = runs.filter(({ status }) => status === 'running').length;
    set('hasRuns', runs.length > 0);
    set('running', running > 0);
    set(
      'resumable',
      runs.some(({ status }) => ['interrupted', 'stopped', 'failed'].includes(status)),
    );
    const asked = runs.flatMap((run) => run.asked.map(({ status }) => status));
    set(
      'evaluating',
      asked.some((status) => status !== 'done' && status !== 'stopped'),
    );
    set(
      'evaluatingHere',
      asked.some((status) => ['queued', 'waiting', 'running', 'stopping'].includes(status)),
    );
    set('evaluationsStopped', asked.includes('stopped') || asked.includes('waiting'));
    set('hasEvaluations', asked.length > 0 || store.shelfIds().length > 0);
    const warnings = runs
      .filter(({ status }) => status === 'running')
      .reduce((sum, { notices }) => sum + notices.filter(({ level }) => level === 'warning').length, 0);
    view.badge = warnings > 0 ? { value: warnings, tooltip: `ReTool: ${warnings}` } : undefined;
  };
  owned.add(store.onDidChange(update));
  update();
  return owned;
}
