import type { RunHead } from '../src/schema/messages';
import { h, on } from './dom';
import { fill } from './format';
import { actionButton } from './header';
import { words } from './host';
import type { RunModel } from './runModel';

interface Line {
  readonly key: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly text: string;
  readonly aside?: string;
  readonly action?: HTMLElement;
}

const glyphs = { error: '⊗', warning: '△', info: 'ⓘ' };
const visible = 2;

/** One line for each thing that a person should know; two at a time. */
export class Notices {
  readonly element = h('div', { class: 'notices', testid: 'notices' });
  private readonly dismissed = new Set<string>();
  private open = false;
  private shown = '';
  private model: RunModel | undefined;

  update(model: RunModel): void {
    this.model = model;
    const all = linesOf(model).filter(({ key }) => !this.dismissed.has(key));
    const signature = `${this.open} ${all.map(({ key }) => key).join('\n')}`;
    if (signature === this.shown) return;
    this.shown = signature;
    const lines = this.open ? all : all.slice(0, visible);
    const hidden = all.length - visible;
    const rows = lines.map((line) => this.row(line));
    this.element.replaceChildren(...rows, ...(hidden > 0 ? [this.toggle(hidden)] : []));
  }

  private row({ key, level, text, aside, action }: Line): HTMLElement {
    const close = h('button', { class: 'close', type: 'button', 'aria-label': words.dismiss }, '✕');
    on(close, 'click', () => {
      this.dismissed.add(key);
      if (this.model) this.update(this.model);
    });
    return h(
      'div',
      { class: `notice ${level}`, role: level === 'error' ? 'alert' : 'status' },
      h('span', { class: 'glyph', 'aria-hidden': 'true' }, glyphs[level]),
      h(
        'span',
        { class: 'notice-text' },
        h('strong', {}, text),
        ...(aside ? [' ', h('span', { class: 'secondary' }, aside)] : []),
      ),
      ...(action ? [action] : []),
      close,
    );
  }

  private toggle(hidden: number): HTMLElement {
    const button = h('button', { class: 'link', type: 'button' }, this.open ? words.fewer : fill(words.more, hidden));
    on(button, 'click', () => {
      this.open = !this.open;
      if (this.model) this.update(this.model);
    });
    return button;
  }
}

function linesOf({ run, gone }: RunModel): Line[] {
  const lines: Line[] = [];
  if (gone) return [{ key: 'gone', level: 'warning', text: words.gone }];
  if (!run) return lines;
  if (run.status === 'failed') {
    lines.push({
      key: `failed ${run.message}`,
      level: 'error',
      text: run.message ?? words.statusFailed,
      aside: run.hint ?? '',
    });
  }
  if (run.status === 'interrupted') {
    lines.push({
      key: 'interrupted',
      level: 'warning',
      text: words.statusInterrupted,
      aside: `${words.interruptedNote} ${whereItGoesOn(run)}`,
    });
  }
  if (!run.trusted) {
    const action = actionButton(words.manageTrust, 'manageTrust', 'secondary', 'manage-trust');
    lines.push({ key: 'trust', level: 'info', text: words.restricted, action });
  }
  if (run.skipped > 0)
    lines.push({ key: `skipped ${run.skipped}`, level: 'warning', text: fill(words.skipped, run.skipped) });
  return [...lines, ...journalLines(run)];
}

function whereItGoesOn({ checkpoints }: RunHead): string {
  const last = checkpoints.at(-1);
  if (!last) return words.startsOver;
  return fill(words.goesOnFrom, last.phase === 'coldStart' ? `${last.step} (${words.coldStart})` : last.step);
}

/** Warnings first, the newest first. */
function journalLines({ notices }: RunHead): Line[] {
  const newest = notices.map((notice, i) => ({ ...notice, i })).reverse();
  const ordered = [
    ...newest.filter(({ level }) => level === 'warning'),
    ...newest.filter(({ level }) => level === 'info'),
  ];
  return ordered.map(({ level, message, step, phase }) => ({
    key: `${phase} ${step} ${message}`,
    level,
    text: message,
    aside: fill(words.atStep, step),
  }));
}
