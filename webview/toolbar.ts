import type { ViewOptions } from './chartData';
import { h, on, setText } from './dom';
import { words } from './host';

interface Toggle extends HTMLElement {
  checked: boolean;
}

interface ToolbarEvents {
  /** An option has another value. */
  changed(): void;
  help(): void;
  /** Ends a zoom. */
  showAll(): void;
}

/** Smoothing, axis, raw values, tables, and the key to the lines. */
export class Toolbar {
  readonly element: HTMLElement;
  private readonly options: ViewOptions;
  private readonly slider = h('input', {
    type: 'range',
    min: '0',
    max: '0.99',
    step: '0.01',
    id: 'smoothing',
    testid: 'smoothing',
  });
  private readonly shown = h('output', { for: 'smoothing', testid: 'smoothing-value' });
  private readonly axes: Record<ViewOptions['axis'], HTMLButtonElement>;
  private readonly raw: Toggle;
  private readonly table: Toggle;

  private readonly reset: HTMLElement;

  constructor(options: ViewOptions, { changed, help, showAll }: ToolbarEvents) {
    this.options = options;
    on(this.slider, 'input', () => {
      options.smoothing = Number(this.slider.value);
      this.update();
      changed();
    });
    const axis = (value: ViewOptions['axis'], label: string) => {
      const button = h('button', { type: 'button', class: 'segment', testid: `axis-${value}` }, label);
      on(button, 'click', () => {
        options.axis = value;
        this.update();
        changed();
      });
      return button;
    };
    this.axes = { step: axis('step', words.step), time: axis('time', words.time) };
    const toggle = (key: 'raw' | 'table', label: string): Toggle => {
      const box = h('vscode-checkbox', { testid: key }, label) as Toggle;
      on(box, 'change', () => {
        if (options[key] === box.checked) return;
        options[key] = box.checked;
        changed();
      });
      return box;
    };
    this.raw = toggle('raw', words.raw);
    this.table = toggle('table', words.table);
    const keys = h(
      'button',
      { type: 'button', class: 'segment', testid: 'keys', title: words.keys, 'aria-label': words.keys },
      '?',
    );
    on(keys, 'click', help);
    this.reset = h('button', { type: 'button', class: 'segment', testid: 'reset-zoom' }, words.resetZoom);
    this.reset.hidden = true;
    on(this.reset, 'click', showAll);
    this.element = h(
      'div',
      { class: 'toolbar', role: 'toolbar', 'aria-label': words.chartOptions },
      h('label', { for: 'smoothing', class: 'secondary' }, words.smoothing),
      this.slider,
      this.shown,
      h('span', { class: 'secondary wide' }, words.xAxis),
      h('div', { class: 'segments', role: 'group', 'aria-label': words.xAxis }, this.axes.step, this.axes.time),
      this.raw,
      this.table,
      this.reset,
      h('span', { class: 'spring' }),
      h('span', { class: 'key wide' }, h('i', { class: 'key-line' }), words.thisRun),
      h('span', { class: 'key wide' }, h('i', { class: 'key-diamond' }), words.checkpoint),
      keys,
    );
    this.update();
  }

  showZoom(zoomed: boolean): void {
    this.reset.hidden = !zoomed;
  }

  update(): void {
    const { smoothing, axis, raw, table } = this.options;
    this.slider.value = String(smoothing);
    this.slider.setAttribute('aria-valuetext', smoothing.toFixed(2));
    setText(this.shown, smoothing.toFixed(2));
    for (const [name, button] of Object.entries(this.axes)) button.setAttribute('aria-pressed', String(name === axis));
    this.raw.checked = raw;
    this.table.checked = table;
  }
}
