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

const heldMilliseconds = 3000;

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
  /** Until then Stop shows as pressed, whatever is told of the run. */
  private heldUntil = 0;

  constructor() {
    this.left.title = words.timeLeftWhy;
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

  update({ run: told, points, gone }: RunModel): void {
    if (!told) return;
    const run = this.withPress(told);
    document.title = run.name;
    setText(this.name, run.name);
    setText(this.status, gone ? words.statusGone : run.pending ? words[run.pending] : statusWords[run.status]);
    this.element.dataset.status = gone ? 'gone' : run.status;
    this.showProgress(run);
    const rate = points.at(-1)?.metrics['perf/tokens_per_second'];
    setText(this.throughput, rate === undefined ? '—' : fill(words.tokensPerSecond, formatValue(rate, 'count')));
    setText(this.elapsed, formatSeconds(run.activeSeconds));
    this.offer(run, gone);
  }

  /** What was sent before the host knew of a press says nothing of it: for a while the press stands. */
  private withPress(run: RunHead): RunHead {
    const held = run.status === 'running' && run.pending === null && performance.now() < this.heldUntil;
    return held ? { ...run, pending: 'stopping' } : run;
  }

  private showProgress(run: RunHead): void {
    const { evaluating, left, phase, step, total } = run;
    const template = phase === 'coldStart' ? words.coldStepOf : words.stepOf;
    const text = evaluating
      ? fill(words.evaluatingOf, formatValue(evaluating.done, 'count'), formatValue(evaluating.rollouts, 'count'))
      : fill(template, step, total);
    setText(this.step, text);
    const time = left && fill(left.rough ? words.aboutTimeLeft : words.timeLeft, formatSeconds(left.seconds));
    setText(this.left, time ?? '');
    const [now, most] = evaluating ? [evaluating.done, evaluating.rollouts] : [step, total];
    this.filled.style.width = `${most > 0 ? (now / most) * 100 : 0}%`;
    this.bar.setAttribute('aria-valuemin', '0');
    this.bar.setAttribute('aria-valuemax', String(most));
    this.bar.setAttribute('aria-valuenow', String(now));
    this.bar.setAttribute('aria-valuetext', text);
    this.bar.setAttribute('aria-label', words.progress);
    this.marks.hidden = evaluating !== null;
    this.markCheckpoints(run);
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

  private offer(run: RunHead, gone: boolean): void {
    const last = run.checkpoints.at(-1);
    const key = [run.status, run.pending, run.own, run.trusted, gone, last?.step].join();
    if (key === this.shownActions) return;
    this.shownActions = key;
    if (gone) {
      this.actions.replaceChildren();
      return;
    }
    const resumable = run.status === 'interrupted' || run.status === 'stopped' || run.status === 'failed';
    const label = last?.phase === run.phase ? fill(words.resumeFrom, last.step) : words.resume;
    const buttons = [
      ...(run.status === 'running' && run.own && run.trusted
        ? [this.starter(words.stop, words.stopping, 'stop', 'secondary', run.pending === 'stopping')]
        : []),
      ...(resumable && run.trusted
        ? [this.starter(label, words.resuming, 'resume', 'primary', run.pending === 'resuming')]
        : []),
      ...(run.status === 'failed' ? [actionButton(words.showLog, 'showLog', 'secondary', 'show-log')] : []),
    ];
    this.actions.replaceChildren(...buttons);
  }

  /** A button that says at once that it was pressed, and goes on saying so while that is under way. */
  private starter(
    label: string,
    busy: string,
    action: 'stop' | 'resume',
    look: 'primary' | 'secondary',
    pending: boolean,
  ): HTMLElement {
    // A second press of Stop offers to end the run at once; Resume has no more to offer.
    const press = (button: HTMLElement) => {
      setText(button, busy);
      if (action === 'resume') button.setAttribute('disabled', '');
    };
    const button = actionButton(label, action, look, action);
    on(button, 'click', () => {
      press(button);
      if (action === 'stop') this.heldUntil = performance.now() + heldMilliseconds;
      this.shownActions = '';
    });
    if (pending) press(button);
    return button;
  }
}
