import type { Metrics } from '../../schema/journal';
import type { RunState, StepPoint } from '../../schema/runState';

/** Steps that a pace is taken from. */
const window = 12;

export const totalSteps = (run: RunState): number =>
  run.phase === 'coldStart' ? run.plan.coldStart : run.plan.reinforcement;

/** Points of the reinforcement, oldest first: those that have trajectories. */
export const reinforcementPoints = (run: RunState): StepPoint[] =>
  run.points.filter(({ phase }) => phase === 'reinforcement');

/** Last value of a metric in the current phase. */
export function lastMetric(run: RunState, name: string): number | undefined {
  return run.points.findLast(({ phase, metrics }) => phase === run.phase && name in metrics)?.metrics[name];
}

/** Seconds until the current phase ends, by the median pace of the last steps; undefined when there is none yet. */
export function secondsLeft(run: RunState): number | undefined {
  if (run.status !== 'running') return undefined;
  const recent = run.points.filter(({ phase }) => phase === run.phase).slice(-window);
  const pace = median(recent.flatMap((point, i) => secondsOf(point.metrics) ?? between(recent[i - 1], point)));
  return pace === undefined ? undefined : pace * Math.max(0, totalSteps(run) - run.step);
}

const secondsOf = (metrics: Metrics): number | undefined => metrics['time/step_seconds'];

const between = (earlier: StepPoint | undefined, later: StepPoint): number[] =>
  earlier ? [(later.time - earlier.time) / 1000] : [];

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
