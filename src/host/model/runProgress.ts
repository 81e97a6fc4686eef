import type { RunState, StepPoint } from '../../schema/runState';

/** Points of the reinforcement, oldest first: those that have trajectories. */
export const reinforcementPoints = (run: RunState): StepPoint[] =>
  run.points.filter(({ phase }) => phase === 'reinforcement');

/** Last value of a metric in the current phase. */
export function lastMetric(run: RunState, name: string): number | undefined {
  return run.points.findLast(({ phase, metrics }) => phase === run.phase && name in metrics)?.metrics[name];
}
