import { mapBounded } from '../lib/concurrency';
import type { Problem, Trajectory } from '../schema/trajectory';
import type { RolloutAddress } from './rollout';

/** Solves one problem once. */
export type Roll = (problem: Problem, address: RolloutAddress, signal: AbortSignal) => Promise<Trajectory>;

export interface EvaluateOptions {
  readonly samples: number;
  readonly seed: number;
  readonly step: number;
  /** Trajectories in flight at once. */
  readonly concurrency: number;
  /** Problems that are begun together; the next ones wait for them. All at once where undefined. */
  readonly chunk?: number | undefined;
  /** True for a trajectory that is there already. */
  readonly isDone?: ((problem: Problem, sample: number) => boolean) | undefined;
  /** Once aborted, no trajectory begins; those in flight are awaited before it rejects. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Samples every problem `samples` times. Seeds derive from (seed, problem, sample) alone, so the same checkpoint gives
 * the same trajectories whatever the concurrency and the chunks, and two checkpoints are compared on equal draws.
 *
 * @param onRollout is called after each trajectory.
 * @returns those that were not there already, sorted by problem, then sample.
 */
export async function evaluate(
  problems: readonly Problem[],
  { samples, seed, step, concurrency, chunk = problems.length, isDone, ending }: EvaluateOptions,
  roll: Roll,
  signal: AbortSignal,
  onRollout: (trajectory: Trajectory) => Promise<void>,
): Promise<Trajectory[]> {
  const trajectories: Trajectory[] = [];
  const begins = ending ? AbortSignal.any([signal, ending]) : signal;
  for (let start = 0; start < problems.length; start += chunk) {
    const work = problems
      .slice(start, start + chunk)
      .flatMap((problem) => Array.from({ length: samples }, (_, branch) => ({ problem, branch })))
      .filter(({ problem, branch }) => !isDone?.(problem, branch));
    const sampled = await mapBounded(work, concurrency, begins, async ({ problem, branch }) => {
      const path = ['evaluate', problem.id, branch];
      const trajectory = await roll(problem, { step, branch, seed, path }, signal);
      await onRollout(trajectory);
      return trajectory;
    });
    trajectories.push(...sampled);
  }
  return trajectories;
}
