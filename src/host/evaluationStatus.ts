import * as vscode from 'vscode';
import { DisposableStore } from '../lib/lifecycle';
import type { EvaluationQueue } from './evaluationQueue';
import { progressWords } from './model/askedRow';
import { modelText } from './model/subjectText';
import type { Strings } from './strings';

/** One item for the evaluation that this window makes, or that waits; none without one. */
export function createEvaluationStatus(
  queue: EvaluationQueue,
  strings: Strings,
): DisposableStore & { text(): string | undefined } {
  const owned = new DisposableStore();
  const words = strings.evaluation;
  const item = owned.add(vscode.window.createStatusBarItem('retool.evaluation', vscode.StatusBarAlignment.Right, 99));
  item.name = words.statusName;
  item.tooltip = words.statusTip;
  item.command = 'retool.runs.focus';
  let shown = false;
  const update = () => {
    const [job, ...others] = queue.jobs;
    shown = job !== undefined;
    if (!job) return item.hide();
    const { subject, protocol } = job.request;
    const far = progressWords({ ...job, silentSince: job.silence?.since }, strings);
    const more = others.length > 0 ? [words.more(others.length)] : [];
    const text = [`${protocol.dataset.name} ${modelText(subject, strings)}`, far, ...more].join(' · ');
    item.text = `$(beaker) ${text}`;
    item.accessibilityInformation = { label: text, role: 'button' };
    item.show();
  };
  owned.add(queue.onDidChange(update));
  update();
  return Object.assign(owned, { text: () => (shown ? item.text : undefined) });
}
