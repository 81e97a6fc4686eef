import { isAfter } from '../journal/reduce';
import { alertMemory } from '../rl/alerts';
import type { ResumePoint } from '../rl/train';
import type { RunState } from '../schema/runState';

/**
 * Where a run goes on: after a checkpoint. Undefined when it has none and begins anew.
 *
 * @param count how many of its checkpoints, oldest first, can be gone on from; the last of them is taken.
 */
export function resumePointOf(run: RunState, count = run.checkpoints.length): ResumePoint | undefined {
  const kept = run.checkpoints.slice(0, count);
  const last = kept.at(-1);
  if (!last) return undefined;
  const evaluated = Object.entries(run.evaluations).flatMap(([id, each]) =>
    each.result && !isAfter(each, last) ? [[id, each.result] as const] : [],
  );
  return {
    phase: last.phase,
    step: last.step,
    checkpoint: last.path,
    kept: kept.map(({ phase, step, path }) => ({ phase, step, path })),
    history:
      last.phase === 'reinforcement'
        ? run.points
            .filter(({ phase, step }) => phase === 'reinforcement' && step <= last.step)
            .slice(-alertMemory)
            .map(({ metrics }) => metrics)
        : [],
    evaluated: new Map(evaluated),
  };
}
