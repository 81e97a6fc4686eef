import type { StepPoint } from '../src/schema/runState';
import type { ChartSpec, SeriesSpec } from './chartSpecs';
import { isNoisy } from './metricKinds';
import { smooth } from './smoothing';

/** What every chart is drawn with. */
export interface ViewOptions {
  smoothing: number;
  raw: boolean;
  axis: 'step' | 'time';
  table: boolean;
  /** Whether the charts of further metrics are shown. */
  more: boolean;
}

/** A stretch of an x axis, in its units. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface PlottedSeries {
  readonly spec: SeriesSpec;
  /** As logged. */
  readonly raw: readonly [number, number][];
  readonly smoothed: readonly [number, number][];
  /** The step of each point. */
  readonly steps: readonly number[];
}

/** The points of a chart, in the units of its axes. @param start milliseconds that the time axis begins at. */
export function plot(
  spec: ChartSpec,
  points: readonly StepPoint[],
  { axis, smoothing }: ViewOptions,
  start: number,
): PlottedSeries[] {
  return spec.series.map((series) => {
    const steps: number[] = [];
    const raw: [number, number][] = [];
    for (const { step, time, metrics } of points) {
      const y = series.value(metrics);
      if (y === undefined) continue;
      steps.push(step);
      raw.push([axis === 'step' ? step : (time - start) / 1000, y]);
    }
    const weight = spec.kind === 'stack' || !isNoisy(series.metric) ? 0 : smoothing;
    return { spec: series, raw, steps, smoothed: smooth(raw, weight) };
  });
}

/** True where every value is 0: left to itself an axis would have it in the middle, from −1 to 1. */
export const isFlatZero = (plotted: readonly PlottedSeries[]): boolean =>
  plotted.every(({ raw }) => raw.every(([, y]) => y === 0));
