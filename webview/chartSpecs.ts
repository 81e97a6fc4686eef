import type { Phase } from '../src/schema/journal';
import type { StepPoint } from '../src/schema/runState';
import type { Unit } from './format';
import { words } from './host';
import { unitOf } from './metricKinds';

export interface SeriesSpec {
  /** Name of the plotted metric; in a stack also of what is left over. */
  readonly metric: string;
  /** Written at the end of the line where there are several. */
  readonly label: string;
  readonly value: (metrics: StepPoint['metrics']) => number | undefined;
}

export interface ChartSpec {
  /** The name by which tests find it, and its title where it has no other. */
  readonly id: string;
  readonly title?: string;
  readonly phase: Phase;
  readonly unit: Unit;
  readonly kind: 'lines' | 'stack';
  readonly series: readonly SeriesSpec[];
  readonly bounds?: { readonly min?: number; readonly max?: number };
  /** Takes a row of its own: its series are many, and their names long. */
  readonly spread?: true;
}

const share = { min: 0, max: 1 };
const positive = { min: 0 };

interface Plan {
  readonly metric: string;
  readonly unit: Unit;
  readonly bounds?: ChartSpec['bounds'];
}

const plans: Record<Phase, readonly (Plan | 'kinds' | 'sandbox' | 'time')[]> = {
  coldStart: [
    { metric: 'train/loss', unit: 'number' },
    { metric: 'train/gradient_norm', unit: 'number', bounds: positive },
    { metric: 'train/learning_rate', unit: 'number', bounds: positive },
    { metric: 'time/step_seconds', unit: 'seconds', bounds: positive },
  ],
  reinforcement: [
    { metric: 'reward/mean', unit: 'signed' },
    { metric: 'reward/correct', unit: 'share', bounds: share },
    { metric: 'reward/format', unit: 'share', bounds: share },
    { metric: 'rollout/tool_rate', unit: 'share', bounds: share },
    'kinds',
    { metric: 'rollout/code_calls', unit: 'number', bounds: positive },
    { metric: 'rollout/trajectory_tokens', unit: 'count', bounds: positive },
    'sandbox',
    'time',
    { metric: 'train/loss', unit: 'number' },
    { metric: 'train/kl', unit: 'number' },
    { metric: 'train/logprob_gap_max', unit: 'number', bounds: positive },
    { metric: 'train/entropy', unit: 'number', bounds: positive },
    { metric: 'train/clip_fraction', unit: 'share', bounds: positive },
  ],
};

export interface ChartPlan {
  readonly main: readonly ChartSpec[];
  /** Metrics that no chart above names. */
  readonly more: readonly ChartSpec[];
}

/** The charts of a phase for the metrics that its journal has. */
export function chartSpecs(phase: Phase, metrics: ReadonlySet<string>): ChartPlan {
  const main = plans[phase].flatMap((plan): ChartSpec[] => {
    if (plan === 'kinds')
      return [...kinds(phase, 'rollout/tool_rate/', metrics), ...kinds(phase, 'reward/correct/', metrics)];
    if (plan === 'sandbox') return sandbox(phase, metrics);
    if (plan === 'time') return stackedTime(phase, metrics);
    return metrics.has(plan.metric) ? [single(phase, plan)] : [];
  });
  const shown = new Set(main.flatMap(({ series }) => series.map(({ metric }) => metric)));
  const rest = [...metrics].filter((metric) => !shown.has(metric) && metric !== 'time/step_seconds').sort();
  return { main, more: rest.map((metric) => single(phase, planOf(metric))) };
}

function planOf(metric: string): Plan {
  const unit = unitOf(metric);
  return { metric, unit, ...(unit !== 'number' && { bounds: positive }) };
}

const reads = (metric: string, label = metric): SeriesSpec => ({ metric, label, value: (metrics) => metrics[metric] });

/** The chart of one metric. */
export const single = (phase: Phase, { metric, unit, bounds }: Plan): ChartSpec => ({
  id: metric,
  phase,
  unit,
  kind: 'lines',
  series: [reads(metric)],
  ...(bounds && { bounds }),
});

function kinds(phase: Phase, prefix: string, metrics: ReadonlySet<string>): ChartSpec[] {
  const series = [...metrics]
    .filter((metric) => metric.startsWith(prefix))
    .sort()
    .map((metric) => reads(metric, metric.slice(prefix.length)));
  return series.length < 2 ? [] : [{ id: `${prefix}*`, phase, unit: 'share', kind: 'lines', series, bounds: share }];
}

function sandbox(phase: Phase, metrics: ReadonlySet<string>): ChartSpec[] {
  const labels = { success: words.success, error: words.error, timeout: words.timeout };
  const series = Object.entries(labels)
    .map(([name, label]) => reads(`sandbox/${name}_rate`, label))
    .filter(({ metric }) => metrics.has(metric));
  return series.length === 0 ? [] : [{ id: 'sandbox', phase, unit: 'share', kind: 'lines', series, bounds: share }];
}

function stackedTime(phase: Phase, metrics: ReadonlySet<string>): ChartSpec[] {
  if (!metrics.has('time/step_seconds')) return [];
  const parts = [reads('time/sample_seconds', words.sample), reads('time/train_seconds', words.train)].filter(
    ({ metric }) => metrics.has(metric),
  );
  const other: SeriesSpec = {
    metric: 'time/other_seconds',
    label: words.other,
    value: (row) => {
      const all = row['time/step_seconds'];
      const told = parts.reduce((sum, { value }) => sum + (value(row) ?? 0), 0);
      return all === undefined ? undefined : Math.max(0, all - told);
    },
  };
  const series = [...parts, other];
  return [{ id: words.timePerStep, phase, unit: 'seconds', kind: 'stack', series, bounds: positive }];
}
