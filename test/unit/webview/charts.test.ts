import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { purposes } from '../../../src/behaviour/purpose';
import { behaviourMeasures } from '../../../src/host/pageWords';
import { behaviourSpecs, pointOf } from '../../../webview/behaviourCharts';
import { isFlatZero, plot } from '../../../webview/chartData';
import { formatTick } from '../../../webview/format';
import { unitOf } from '../../../webview/metricKinds';
import { bandTone, type Theme } from '../../../webview/theme';

vi.mock('../../../webview/host', () => ({ words: { seconds: '{0} s' } }));

const options = { smoothing: 0.9, raw: false, axis: 'step', table: false, more: true } as const;
const plotted = (metric: string, values: readonly number[]) => {
  const series = [{ metric, label: metric, value: (metrics: Readonly<Record<string, number>>) => metrics[metric] }];
  const points = values.map((value, i) => ({
    phase: 'reinforcement' as const,
    step: i + 1,
    time: i,
    metrics: { [metric]: value },
  }));
  return plot({ id: metric, phase: 'reinforcement', unit: 'number', kind: 'lines', series }, points, options, 0);
};

describe('a chart', () => {
  it('shows sums over the run and the learning rate as they are, and averages what is noisy', () => {
    for (const metric of ['sandbox/total_calls', 'rollout/total_problems', 'train/learning_rate']) {
      expect(plotted(metric, [0, 10, 20])[0]!.smoothed.map(([, y]) => y)).toEqual([0, 10, 20]);
    }
    expect(plotted('reward/mean', [0, 10, 20])[0]!.smoothed.at(-1)![1]).toBeLessThan(15);
  });

  it('of zeros alone is told from one that moves', () => {
    expect(isFlatZero(plotted('train/kl', [0, 0]))).toBe(true);
    expect(isFlatZero(plotted('train/kl', [0, -1e-9]))).toBe(false);
  });

  it('has no thousands at zero', () => {
    expect([0, 500, 1000].map((value) => formatTick(value, 'count', 500))).toEqual(['0', '0.5k', '1.0k']);
  });
});

describe('the charts of behaviour', () => {
  const sides = { all: 'All', correct: 'Right', incorrect: 'Wrong' };
  const specs = behaviourSpecs(
    behaviourMeasures((text) => text),
    sides,
    { lines: {}, purpose: 'Purpose of code' },
  );

  it('have names of their own', () => {
    expect(new Set(specs.map(({ id }) => id)).size).toBe(specs.length);
  });

  it('stack every purpose once, so that shares add up to all calls of a step', () => {
    const stack = specs.find(({ kind }) => kind === 'stack')!;
    expect(stack.series.map(({ metric }) => metric).toSorted()).toEqual(
      purposes.map((purpose) => `purpose/${purpose}`).toSorted(),
    );
    expect(stack.series.at(-1)).toMatchObject({ metric: 'purpose/other', label: 'Other' });
    const values = Object.fromEntries(purposes.map((purpose, i) => [`purpose/${purpose}`, i / 28]));
    const row = { all: values, correct: {}, incorrect: {}, counts: { all: 1, correct: 1, incorrect: 0 } };
    const point = pointOf({ place: { step: 1 }, ...row, leftOut: 0, corrections: [] })!;
    const shares = plot(stack, [point], options, 0).map(({ raw }) => raw[0]![1]);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 12);
  });

  it('give every band of a stack a colour of the theme, each another', () => {
    const series = ['rgb(1, 1, 1)', 'rgb(2, 2, 2)', 'rgb(3, 3, 3)', 'rgb(4, 4, 4)', 'rgb(5, 5, 5)'];
    const theme = { series, secondary: 'rgb(9, 9, 9)', foreground: 'rgb(0, 0, 0)' } as unknown as Theme;
    const tones = purposes.map((_, band) => bandTone(theme, band, band === purposes.length - 1));
    expect(new Set(tones).size).toBe(purposes.length);
    expect(tones.at(-1)).toBe('rgba(9, 9, 9, 0.8)');
  });
});

describe('the unit of a metric', () => {
  const page = readFileSync('docs/metrics.md', 'utf8');
  const rows = page.split('\n').flatMap((line) => {
    const [, names, is] = /^\| (`.*?) +\| (.*?) +\|/.exec(line) ?? [];
    return names && is ? [{ names: [...names.matchAll(/`(.*?)`/g)].map(([, name]) => name!), is }] : [];
  });

  it('is a share where its definition says so, and of its kinds too', () => {
    const shares = rows.filter(({ is }) => /^shares? /.test(is)).flatMap(({ names }) => names);
    expect(shares.length).toBeGreaterThan(15);
    expect(shares.filter((metric) => unitOf(metric) !== 'share')).toEqual([]);
    for (const metric of ['reward/correct/long', 'rollout/tool_rate/short', 'train/importance_weight_bounded']) {
      expect(unitOf(metric)).toBe('share');
    }
  });

  it('is a count where groups, calls or trajectories are counted, and seconds where time is', () => {
    const counts = rows.filter(({ is }) =>
      /^(?:groups|trajectories|turns that|tokens of|executions of|updates)/.test(is),
    );
    const names = counts.flatMap((row) => row.names).concat('sandbox/total_calls', 'rollout/total_phantom_groups');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((metric) => unitOf(metric) !== 'count')).toEqual([]);
    expect(unitOf('sandbox/total_run_seconds')).toBe('seconds');
    expect(['reward/mean', 'train/learning_rate', 'rollout/turns'].map(unitOf)).toEqual(['number', 'number', 'number']);
  });
});
