import type { Phase } from '../src/schema/journal';
import { plot, type ViewOptions } from './chartData';
import { type ChartSpec, chartSpecs } from './chartSpecs';
import { ChartView, type Frame } from './chartView';
import { h, on } from './dom';
import { words } from './host';
import type { RunModel } from './runModel';
import { onThemeChange, readTheme, type Theme } from './theme';

/** The whole plan, but never so much of it that what there is shrinks to less than a quarter. */
const axisEnd = (last: number, total: number): number => Math.max(1, last, Math.min(total, last * 4));

export interface GridEvents {
  /** The crosshair moved, or went (undefined). */
  hover(view: ChartView, step: number | undefined, pointer: MouseEvent | undefined): void;
  open(step: number): void;
}

/** The charts of one phase: one x axis, one crosshair. */
export class ChartGrid {
  readonly element: HTMLElement;
  readonly phase: Phase;
  private readonly model: RunModel;
  private readonly options: ViewOptions;
  private readonly events: GridEvents;
  private readonly main = h('div', { class: 'grid' });
  private readonly more = h('div', { class: 'grid' });
  private readonly moreBox: HTMLDetailsElement;
  private views = new Map<string, ChartView>();
  private theme: Theme = readTheme();
  private crosshair: number | undefined;
  private signature = '';

  constructor(phase: Phase, model: RunModel, options: ViewOptions, events: GridEvents) {
    this.phase = phase;
    this.model = model;
    this.options = options;
    this.events = events;
    this.moreBox = h('details', { class: 'more' }, h('summary', {}, words.moreMetrics), this.more);
    on(this.moreBox, 'toggle', () => this.update());
    const title = phase === 'coldStart' ? words.coldStart : words.reinforcement;
    this.element = h('section', { 'aria-label': title, testid: `grid-${phase}` }, this.main, this.moreBox);
    if (phase === 'coldStart') this.element.prepend(h('h2', {}, title));
    onThemeChange(() => {
      this.theme = readTheme();
      this.update();
    });
  }

  update(): void {
    const points = this.model.of(this.phase);
    this.element.hidden = points.length === 0;
    if (points.length === 0) return;
    const plan = chartSpecs(this.phase, this.model.metrics[this.phase]);
    this.arrange(plan.main, plan.more);
    const { run } = this.model;
    const start = points[0]?.time ?? 0;
    const x = ({ step, time }: { step: number; time: number }) =>
      this.options.axis === 'step' ? step : (time - start) / 1000;
    const last = points.at(-1);
    const total = run?.phase === this.phase ? run.total : 0;
    const timeOf = new Map(points.map((point) => [point.step, point]));
    const frame: Frame = {
      options: this.options,
      theme: this.theme,
      max: axisEnd(last ? x(last) : 0, this.options.axis === 'step' ? total : 0),
      checkpoints: (run?.checkpoints ?? []).flatMap(({ phase, step }) => {
        const point = phase === this.phase ? timeOf.get(step) : undefined;
        return point ? [x(point)] : [];
      }),
      live: run?.status === 'running' && run.phase === this.phase,
    };
    for (const view of this.shown()) view.update(plot(view.spec, points, this.options, start), frame);
    this.moveCrosshair(this.crosshair);
  }

  /** Puts the crosshair of every chart on a step. */
  moveCrosshair(step: number | undefined): void {
    this.crosshair = step;
    for (const view of this.shown()) view.showCrosshair(step);
  }

  /** What is plotted, for tests: logged values only. */
  plotted(): { chart: string; series: string; points: readonly [number, number][] }[] {
    return this.shown().flatMap(({ spec, series }) =>
      series.map(({ spec: { metric }, raw }) => ({ chart: spec.id, series: metric, points: raw })),
    );
  }

  private shown(): ChartView[] {
    return [...this.views.values()].filter(({ element }) => this.moreBox.open || element.parentElement === this.main);
  }

  private arrange(main: readonly ChartSpec[], more: readonly ChartSpec[]): void {
    const signature = JSON.stringify([main, more].map((specs) => specs.map(({ id, series }) => [id, series.length])));
    if (signature === this.signature) return;
    this.signature = signature;
    const before = this.views;
    this.views = new Map();
    const place = (specs: readonly ChartSpec[], into: HTMLElement) => {
      for (const spec of specs) {
        const known = before.get(spec.id);
        const fits = known?.spec.series.length === spec.series.length;
        const view = known && fits ? known : this.create(spec);
        if (known && fits) before.delete(spec.id);
        this.views.set(spec.id, view);
        into.append(view.element);
      }
    };
    place(main, this.main);
    place(more, this.more);
    this.moreBox.hidden = more.length === 0;
    for (const view of before.values()) view.dispose();
  }

  private create(spec: ChartSpec): ChartView {
    const view = new ChartView(spec, this.theme);
    const { element } = view;
    on(element, 'mousemove', (event) => this.hover(view, view.stepAt(event.clientX), event));
    on(element, 'mouseleave', () => this.hover(view, undefined, undefined));
    on(element, 'click', (event) => {
      const step = this.options.table ? undefined : view.stepAt(event.clientX);
      if (step !== undefined && this.phase === 'reinforcement') this.events.open(step);
    });
    on(element, 'keydown', (event) => this.key(view, event));
    return view;
  }

  private hover(view: ChartView, step: number | undefined, pointer: MouseEvent | undefined): void {
    if (step !== this.crosshair) this.moveCrosshair(step);
    this.events.hover(view, step, pointer);
  }

  private key(view: ChartView, event: KeyboardEvent): void {
    const steps = view.series[0]?.steps ?? [];
    if (steps.length === 0 || this.options.table) return;
    const at = this.crosshair === undefined ? steps.length : steps.indexOf(this.crosshair);
    const far = event.shiftKey ? 10 : 1;
    const targets: Record<string, number | undefined> = {
      ArrowLeft: Math.max(0, at - far),
      ArrowRight: Math.min(steps.length - 1, at + far),
      Home: 0,
      End: steps.length - 1,
    };
    const target = targets[event.key];
    if (target !== undefined) this.hover(view, steps[target], undefined);
    else if (event.key === 'Escape') this.hover(view, undefined, undefined);
    else if (event.key === 'Enter' && this.crosshair !== undefined && this.phase === 'reinforcement') {
      this.events.open(this.crosshair);
    } else return;
    event.preventDefault();
  }
}
