import { mapBounded } from '../lib/concurrency';
import type { Problem, Trajectory } from '../schema/trajectory';
import { type RolloutParts, rollout } from './rollout';

/**
 * Samples every problem `samples` times. Seeds derive from (seed, problem, sample) alone, so the same checkpoint gives
 * the same trajectories whatever the concurrency, and two checkpoints are compared on equal draws.
 *
 * @param onRollout is called after each trajectory.
 * @returns trajectories sorted by problem, then sample.
 */
export function evaluate(
  problems: readonly Problem[],
  options: { readonly samples: number; readonly seed: number; readonly step: number; readonly concurrency: number },
  parts: RolloutParts,
  signal: AbortSignal,
  onRollout: () => Promise<void>,
): Promise<Trajectory[]> {
  const work = problems.flatMap((problem) =>
    Array.from({ length: options.samples }, (_, branch) => ({ problem, branch })),
  );
  return mapBounded(work, options.concurrency, signal, async ({ problem, branch }) => {
    const path = ['evaluate', problem.id, branch];
    const trajectory = await rollout(problem, { step: options.step, branch, seed: options.seed, path }, parts, signal);
    await onRollout();
    return trajectory;
  });
}
