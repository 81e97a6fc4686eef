import type { ResumePoint } from '../rl/train';
import type { RunState } from '../schema/runState';

/** Where a run goes on: after its newest checkpoint. Undefined when it has none and begins anew. */
export function resumePointOf(run: RunState): ResumePoint | undefined {
  const last = run.checkpoints.at(-1);
  if (!last) return undefined;
  const evaluated = Object.entries(run.evaluations).filter(([, { result }]) => result !== undefined);
  return {
    phase: last.phase,
    step: last.step,
    checkpoint: last.path,
    kept: run.checkpoints.map(({ phase, step, path }) => ({ phase, step, path })),
    metrics: run.points.findLast(
      ({ phase, step }) => phase === 'reinforcement' && last.phase === phase && step <= last.step,
    )?.metrics,
    evaluated: new Set(evaluated.map(([id]) => id)),
  };
}
