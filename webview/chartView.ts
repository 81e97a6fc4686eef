import {
  Chart,
  type ChartConfiguration,
  type ChartDataset,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
} from 'chart.js';
import { isFlatZero, type PlottedSeries, type Stretch, type ViewOptions } from './chartData';
import { type Overlay, overlayPlugin } from './chartPlugins';
import type { ChartSpec } from './chartSpecs';
import { chartTable } from './chartTable';
import { h, setText } from './dom';
import { fill, formatSeconds, formatTick, formatValue } from './format';
import { words } from './host';
import { alpha, bandTone, seriesLooks, type Theme } from './theme';

Chart.register(LineController, LineElement, PointElement, LinearScale, Filler);

type Row = { x: number; y: number };
type Dataset = ChartDataset<'line', Row[]>;

/** What a chart is drawn from: the same for all charts of a phase. */
export interface Frame {
  readonly options: ViewOptions;
  readonly theme: Theme;
  readonly x: Stretch;
  readonly checkpoints: readonly number[];
  readonly live: boolean;
}

/** Room for the names of lines, at the right of the plot. */
const labelWidth = 62;
/** Where names are long, and have their colour before them. */
const spreadWidth = 160;
/** Of the width, where that is little. */
const spreadShare = 0.42;
/** The text that says which keys a chart knows. */
export const chartKeysId = 'chart-keys';

/** A step is a whole number. */
const stepTick = (value: number): string | undefined => (Number.isInteger(value) ? String(value) : undefined);

const spacing = (ticks: readonly { readonly value: number }[]): number =>
  ticks.length < 2 ? 1 : Math.abs(ticks[1]!.value - ticks[0]!.value);

/** One figure: title, values, curve or table. */
export class ChartView {
  readonly element: HTMLElement;
  readonly spec: ChartSpec;
  series: PlottedSeries[] = [];
  private readonly values = h('span', { class: 'chart-values' });
  private readonly body = h('div', { class: 'chart-body' });
  private readonly canvas = h('canvas', {});
  private readonly overlay: Overlay;
  private withAxis = true;
  private chart: Chart<'line', Row[]> | undefined;

  constructor(spec: ChartSpec, theme: Theme) {
    this.spec = spec;
    this.overlay = {
      theme,
      crosshair: undefined,
      caption: '',
      checkpoints: [],
      selection: undefined,
      live: false,
      leads: [],
      stack: spec.kind === 'stack',
    };
    this.body.append(this.canvas);
    const title = h('span', { class: 'chart-title', title: spec.id }, this.title);
    const caption = h('figcaption', { class: 'chart-caption' }, title, this.values);
    this.element = h(
      'figure',
      {
        class: spec.spread ? 'chart spread' : 'chart',
        tabindex: '0',
        'aria-roledescription': words.chart,
        'aria-describedby': chartKeysId,
        testid: `chart-${spec.id}`,
      },
      caption,
      this.body,
    );
  }

  /** @param withAxis draws the x axis: the charts above in a column share the one of the last. */
  update(series: PlottedSeries[], frame: Frame, withAxis: boolean): void {
    this.series = series;
    this.withAxis = withAxis;
    this.element.classList.toggle('with-axis', withAxis);
    const { theme, checkpoints, live, options } = frame;
    const datasets = series.flatMap((one, i) => this.datasets(one, i, frame));
    const each = datasets.length / Math.max(1, series.length);
    const labelled = series.length > 1;
    Object.assign(this.overlay, {
      theme,
      checkpoints,
      live,
      leads: series.map((one, i) => ({
        index: i * each + each - 1,
        label: labelled ? one.spec.label : undefined,
        ...(this.spec.spread && { tone: this.toneOf(one, theme) }),
      })),
    });
    this.element.classList.toggle('as-table', options.table);
    if (options.table) {
      this.showTable();
      return;
    }
    if (this.body.firstChild !== this.canvas) this.body.replaceChildren(this.canvas);
    if (this.chart) {
      this.chart.data.datasets = datasets;
      this.chart.options = this.options(frame);
      this.chart.update('none');
    } else {
      this.chart = new Chart(this.canvas, this.configuration(datasets, frame));
    }
    this.describe();
  }

  /** @param x in units of the axis; undefined hides it. */
  showCrosshair(step: number | undefined): void {
    const lead = this.series[0];
    const at = step === undefined || !lead ? -1 : lead.steps.indexOf(step);
    this.overlay.crosshair = at < 0 ? undefined : lead?.raw[at]?.[0];
    this.overlay.caption = `${words.step} ${step}`;
    this.chart?.draw();
    this.showValues(step);
  }

  /** Marks a stretch that is being chosen; undefined unmarks it. */
  showSelection(selection: Stretch | undefined): void {
    this.overlay.selection = selection;
    this.chart?.draw();
  }

  /** Where a position of the pointer lies on the x axis; undefined while there is none. */
  xAt(clientX: number): number | undefined {
    return this.chart?.scales.x?.getValueForPixel(clientX - this.canvas.getBoundingClientRect().left);
  }

  /** The step whose point lies nearest to a position of the pointer. */
  stepAt(clientX: number): number | undefined {
    const lead = this.series.find(({ raw }) => raw.length > 0);
    const x = this.xAt(clientX);
    if (x === undefined || !lead) return undefined;
    let best = 0;
    lead.raw.forEach(([candidate], i) => {
      if (Math.abs(candidate - x) < Math.abs((lead.raw[best]?.[0] ?? 0) - x)) best = i;
    });
    return lead.steps[best];
  }

  valueAt(series: PlottedSeries, step: number | undefined): { raw: number; smoothed: number } | undefined {
    const at = step === undefined ? series.steps.length - 1 : series.steps.indexOf(step);
    const raw = series.raw[at]?.[1];
    const smoothed = series.smoothed[at]?.[1];
    return raw === undefined || smoothed === undefined ? undefined : { raw, smoothed };
  }

  dispose(): void {
    this.chart?.destroy();
    this.element.remove();
  }

  private get title(): string {
    return this.spec.title ?? this.spec.id;
  }

  /** Of a band: it keeps its colour where others are left out. */
  private toneOf({ spec }: PlottedSeries, theme: Theme): string {
    const band = this.spec.series.indexOf(spec);
    return bandTone(theme, band, band === this.spec.series.length - 1);
  }

  private valuesAt(step: number | undefined): string[] {
    return this.series.flatMap((series) => {
      const value = this.valueAt(series, step);
      const name = this.series.length > 1 ? `${series.spec.label} ` : '';
      return value ? [name + formatValue(value.smoothed, this.spec.unit)] : [];
    });
  }

  private showValues(step: number | undefined): void {
    const texts = this.valuesAt(step);
    // Shares add up to 1: their sum says nothing.
    if (this.spec.kind !== 'stack' || this.spec.spread) {
      setText(this.values, texts.join(' · '));
      return;
    }
    const sum = this.series.reduce((total, series) => total + (this.valueAt(series, step)?.raw ?? 0), 0);
    setText(this.values, formatValue(sum, this.spec.unit));
  }

  private showTable(): void {
    this.chart?.destroy();
    this.chart = undefined;
    this.body.replaceChildren(chartTable(this.spec, this.series));
    this.element.removeAttribute('role');
    this.element.removeAttribute('aria-label');
    this.showValues(undefined);
  }

  /** A reader hears one sentence in the place of the picture. */
  private describe(): void {
    const lead = this.series[0];
    const first = lead?.smoothed[0]?.[1];
    const last = lead?.smoothed.at(-1)?.[1];
    const text =
      lead === undefined || first === undefined || last === undefined
        ? fill(words.chartEmpty, this.title)
        : this.spec.spread
          ? fill(words.stackSentence, this.title, lead.raw.length, this.valuesAt(undefined).join(', '))
          : fill(
              words.chartSentence,
              this.title,
              lead.raw.length,
              formatValue(first, this.spec.unit),
              formatValue(last, this.spec.unit),
            );
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', text);
  }

  private datasets(series: PlottedSeries, i: number, { theme, options }: Frame): Dataset[] {
    const color = theme.series[i % theme.series.length] ?? theme.foreground;
    const look = seriesLooks[i % seriesLooks.length] ?? seriesLooks[0];
    const rows = (points: readonly [number, number][]): Row[] => points.map(([x, y]) => ({ x, y }));
    if (this.spec.kind === 'stack') {
      return [
        {
          data: rows(series.raw),
          borderColor: theme.background,
          borderWidth: theme.highContrast ? 2 : 0.5,
          backgroundColor: this.toneOf(series, theme),
          pointRadius: 0,
          fill: i === 0 ? 'origin' : '-1',
        },
      ];
    }
    const many = this.series.length > 1;
    const every = Math.max(1, Math.round(series.smoothed.length / 6));
    const markers = series.smoothed.map((_, at) => (many && at % every === Math.floor(every / 2) ? 3 : 0));
    const line: Dataset = {
      data: rows(series.smoothed),
      borderColor: color,
      backgroundColor: color,
      borderWidth: 1.75,
      borderDash: [...look.dash],
      pointStyle: look.marker,
      pointRadius: series.smoothed.length === 1 ? 3 : markers,
      pointBorderWidth: 0,
    };
    if (!options.raw) return [line];
    const faint: Dataset = {
      data: rows(series.raw),
      borderColor: alpha(color, theme.highContrast ? 0.5 : 0.28),
      borderWidth: 1,
      pointRadius: 0,
    };
    return [faint, line];
  }

  private configuration(datasets: Dataset[], frame: Frame): ChartConfiguration<'line', Row[]> {
    return { type: 'line', data: { datasets }, options: this.options(frame), plugins: [overlayPlugin(this.overlay)] };
  }

  private options({ options, theme, x }: Frame): NonNullable<ChartConfiguration<'line', Row[]>['options']> {
    const { bounds, unit, series, kind, spread } = this.spec;
    const font = { family: theme.font, size: 10 };
    return {
      animation: false,
      parsing: false,
      normalized: true,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      clip: 6,
      layout: {
        padding: ({ chart: { width } }) => ({
          top: 6,
          right: spread ? Math.min(spreadWidth, width * spreadShare) : series.length > 1 ? labelWidth : 10,
          bottom: this.withAxis ? 0 : 6,
        }),
      },
      elements: { line: { tension: 0 } },
      scales: {
        x: {
          type: 'linear',
          min: x.from,
          max: x.to,
          grid: { display: false },
          border: { color: theme.hairline },
          title: {
            display: this.withAxis,
            text: options.axis === 'step' ? words.step : words.time,
            color: theme.secondary,
            font,
            padding: 0,
          },
          ticks: {
            display: this.withAxis,
            color: theme.secondary,
            font,
            maxTicksLimit: 5,
            includeBounds: false,
            maxRotation: 0,
            callback: (value) => (options.axis === 'step' ? stepTick(Number(value)) : formatSeconds(Number(value))),
          },
        },
        y: {
          type: 'linear',
          stacked: kind === 'stack',
          ...(isFlatZero(this.series) && { min: 0 }),
          ...bounds,
          border: { display: false },
          grid: { color: theme.grid, tickLength: 0 },
          ticks: {
            color: theme.secondary,
            font,
            padding: 6,
            maxTicksLimit: 4,
            callback: (value, _i, ticks) => formatTick(Number(value), unit, spacing(ticks)),
          },
          afterFit: (scale) => {
            scale.width = 44;
          },
        },
      },
    };
  }
}
