import type { FromDashboard, RunHead } from '../src/schema/messages';
import type { RunStatus } from '../src/schema/runState';
import { h, on, setText } from './dom';
import { fill, formatSeconds, formatValue } from './format';
import { host, words } from './host';
import type { RunModel } from './runModel';

type Action = Extract<FromDashboard, { type: 'act' }>['action'];

export const statusWords: Record<RunStatus, string> = {
  running: words.statusRunning,
  completed: words.statusCompleted,
  stopped: words.statusStopped,
  failed: words.statusFailed,
  interrupted: words.statusInterrupted,
};

export function actionButton(
  label: string,
  action: Action,
  look: 'primary' | 'secondary',
  testid: string,
): HTMLElement {
  const button = h('vscode-button', { appearance: look, testid }, label);
  on(button, 'click', () => host.postMessage({ type: 'act', action }));
  return button;
}

/** State, name, progress with its checkpoints, time left, throughput, and what can be done. */
export class Header {
  readonly element: HTMLElement;
  private readonly dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
  private readonly name = h('h1', { testid: 'run-name' });
  private readonly status = h('span', { class: 'status', testid: 'run-status' });
  private readonly step = h('span', { testid: 'run-step' });
  private readonly left = h('span', { class: 'secondary', testid: 'time-left' });
  private readonly filled = h('div', { class: 'bar-filled' });
  private readonly marks = h('div', { class: 'bar-marks' });
  private readonly bar = h('div', { class: 'bar', role: 'progressbar' }, this.filled, this.marks);
  private readonly throughput = h('span', { testid: 'throughput' });
  private readonly elapsed = h('span', { testid: 'elapsed' });
  private readonly actions = h('div', { class: 'actions' });
  private shownActions = '';

  constructor() {
    const fact = (label: string, value: HTMLElement) =>
      h('div', { class: 'fact' }, h('span', { class: 'secondary' }, label), value);
    this.element = h(
      'header',
      {},
      h('div', { class: 'title' }, this.dot, this.name, this.status),
      h('div', { class: 'progress' }, h('div', { class: 'progress-text' }, this.step, this.left), this.bar),
      h('div', { class: 'facts' }, fact(words.elapsed, this.elapsed), fact(words.throughput, this.throughput)),
      this.actions,
    );
  }

  update({ run, points }: RunModel): void {
    if (!run) return;
    document.title = run.name;
    setText(this.name, run.name);
    setText(this.status, statusWords[run.status]);
    this.element.dataset.status = run.status;
    const template = run.phase === 'coldStart' ? words.coldStepOf : words.stepOf;
    setText(this.step, fill(template, run.step, run.total));
    setText(this.left, run.secondsLeft === null ? '' : fill(words.timeLeft, formatSeconds(run.secondsLeft)));
    const share = run.total > 0 ? run.step / run.total : 0;
    this.filled.style.width = `${share * 100}%`;
    this.bar.setAttribute('aria-valuemin', '0');
    this.bar.setAttribute('aria-valuemax', String(run.total));
    this.bar.setAttribute('aria-valuenow', String(run.step));
    this.bar.setAttribute('aria-label', this.step.textContent ?? '');
    this.markCheckpoints(run);
    const rate = points.at(-1)?.metrics['perf/tokens_per_second'];
    setText(this.throughput, rate === undefined ? '—' : fill(words.tokensPerSecond, formatValue(rate, 'count')));
    const seconds = run.startedAt && run.updatedAt ? (run.updatedAt - run.startedAt) / 1000 : undefined;
    setText(this.elapsed, seconds === undefined ? '—' : formatSeconds(seconds));
    this.offer(run);
  }

  private markCheckpoints({ checkpoints, phase, total }: RunHead): void {
    const here = checkpoints.filter((checkpoint) => checkpoint.phase === phase);
    const marks = here.map(({ step }) => {
      const title = `${words.checkpoint}, ${fill(words.atStep, step)}`;
      const mark = h('span', { class: 'bar-mark', title });
      mark.style.left = `${total > 0 ? (step / total) * 100 : 0}%`;
      return mark;
    });
    this.marks.replaceChildren(...marks);
  }

  private offer(run: RunHead): void {
    const last = run.checkpoints.at(-1);
    const key = [run.status, run.own, run.trusted, last?.step].join();
    if (key === this.shownActions) return;
    this.shownActions = key;
    const resumable = run.status === 'interrupted' || run.status === 'stopped' || run.status === 'failed';
    const label = last?.phase === run.phase ? fill(words.resumeFrom, last.step) : words.resume;
    const buttons = [
      ...(run.status === 'running' && run.own && run.trusted
        ? [actionButton(words.stop, 'stop', 'secondary', 'stop')]
        : []),
      ...(resumable && run.trusted ? [actionButton(label, 'resume', 'primary', 'resume')] : []),
      ...(run.status === 'failed' ? [actionButton(words.showLog, 'showLog', 'secondary', 'show-log')] : []),
    ];
    this.actions.replaceChildren(...buttons);
  }
}
