import type { Phase } from '../src/schema/journal';
import { plot, type Stretch, type ViewOptions } from './chartData';
import { type ChartSpec, chartSpecs } from './chartSpecs';
import { ChartView, type Frame } from './chartView';
import { h, on } from './dom';
import { words } from './host';
import type { RunModel } from './runModel';
import { onThemeChange, readTheme, type Theme } from './theme';

/** A pointer that has moved less, in pixels, was not dragged. */
const dragPixels = 5;
/** A second click within this time, milliseconds, is a double click. */
const doubleClick = 250;

/** The whole plan, but never so much of it that what there is shrinks to less than a quarter. */
const axisEnd = (last: number, total: number): number => Math.max(1, last, Math.min(total, last * 4));

export interface GridEvents {
  /** The crosshair moved, or went (undefined). */
  hover(view: ChartView, step: number | undefined, pointer: MouseEvent | undefined): void;
  open(step: number): void;
  /** The stretch that is shown has changed, or what is shown of further metrics. */
  changed(): void;
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
  private shownColumns = 1;
  private stretch: Stretch | undefined;
  private stretchAxis: ViewOptions['axis'] = 'step';
  private drag: { readonly x: number; readonly clientX: number; moved: boolean } | undefined;
  private dragged: ChartView | undefined;
  private opening: ReturnType<typeof setTimeout> | undefined;
  private signature = '';

  constructor(phase: Phase, model: RunModel, options: ViewOptions, events: GridEvents) {
    this.phase = phase;
    this.model = model;
    this.options = options;
    this.events = events;
    this.moreBox = h('details', { class: 'more' }, h('summary', {}, words.moreMetrics), this.more);
    this.moreBox.open = options.more;
    on(this.moreBox, 'toggle', () => {
      if (options.more === this.moreBox.open) return;
      options.more = this.moreBox.open;
      events.changed();
    });
    window.addEventListener('mouseup', (event) => this.endDrag(event));
    // Which charts draw an axis depends on how many stand beside each other.
    new ResizeObserver(() => {
      if (this.columns() !== this.shownColumns) this.update();
    }).observe(this.main);
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
    this.moreBox.open = this.options.more;
    if (this.stretchAxis !== this.options.axis) this.stretch = undefined;
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
      x: this.stretch ?? { from: 0, to: axisEnd(last ? x(last) : 0, this.options.axis === 'step' ? total : 0) },
      checkpoints: (run?.checkpoints ?? []).flatMap(({ phase, step }) => {
        const point = phase === this.phase ? timeOf.get(step) : undefined;
        return point ? [x(point)] : [];
      }),
      live: run?.status === 'running' && run.phase === this.phase,
    };
    this.shownColumns = this.columns();
    for (const view of this.shown())
      view.update(plot(view.spec, points, this.options, start), frame, this.isLowest(view));
    this.moveCrosshair(this.crosshair);
  }

  /** Puts the crosshair of every chart on a step. */
  moveCrosshair(step: number | undefined): void {
    this.crosshair = step;
    for (const view of this.shown()) view.showCrosshair(step);
  }

  /** True while less than the whole axis is shown. */
  get zoomed(): boolean {
    return this.stretch !== undefined;
  }

  /** Shows a stretch of the axis, in all charts; undefined shows all of it. */
  zoom(stretch: Stretch | undefined): void {
    this.stretch = stretch;
    this.stretchAxis = this.options.axis;
    this.events.changed();
  }

  /** True for the last chart of a column of the grid that is drawn. */
  private isLowest({ element }: ChartView): boolean {
    const charts = [...(element.parentElement?.children ?? [])];
    return charts.indexOf(element) + this.shownColumns >= charts.length;
  }

  private columns(): number {
    return getComputedStyle(this.main).gridTemplateColumns.split(' ').length;
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
    on(element, 'mousemove', (event) => {
      this.continueDrag(view, event);
      this.hover(view, view.stepAt(event.clientX), this.drag?.moved ? undefined : event);
    });
    on(element, 'mouseleave', () => this.hover(view, undefined, undefined));
    on(element, 'mousedown', (event) => {
      const x = this.options.table || event.button !== 0 ? undefined : view.xAt(event.clientX);
      this.drag = x === undefined ? undefined : { x, clientX: event.clientX, moved: false };
      this.dragged = view;
    });
    on(element, 'dblclick', () => {
      clearTimeout(this.opening);
      this.zoom(undefined);
    });
    on(element, 'keydown', (event) => this.key(view, event));
    return view;
  }

  private continueDrag(view: ChartView, { clientX }: MouseEvent): void {
    const { drag } = this;
    if (!drag || view !== this.dragged) return;
    drag.moved ||= Math.abs(clientX - drag.clientX) >= dragPixels;
    const x = view.xAt(clientX);
    if (drag.moved && x !== undefined) this.select({ from: Math.min(drag.x, x), to: Math.max(drag.x, x) });
  }

  private select(selection: Stretch | undefined): void {
    for (const view of this.shown()) view.showSelection(selection);
  }

  /** A drag shows its stretch; a click opens the step under it, once it is sure not to be a double click. */
  private endDrag({ clientX }: MouseEvent): void {
    const { drag, dragged } = this;
    this.drag = undefined;
    this.dragged = undefined;
    if (!drag || !dragged) return;
    this.select(undefined);
    if (drag.moved) {
      const x = dragged.xAt(clientX) ?? drag.x;
      if (x !== drag.x) this.zoom({ from: Math.max(0, Math.min(drag.x, x)), to: Math.max(drag.x, x) });
      return;
    }
    const step = dragged.stepAt(clientX);
    if (step === undefined || this.phase !== 'reinforcement') return;
    clearTimeout(this.opening);
    this.opening = setTimeout(() => this.events.open(step), this.zoomed ? doubleClick : 0);
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
