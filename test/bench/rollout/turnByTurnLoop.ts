import { mapBounded } from '../../../src/lib/concurrency';
import type { Slots, TracedTrajectory, Wait } from './trace';

/** The loop that waits at every turn: all sample, the slowest is waited for, all execute, the slowest is waited for. */
export async function turnByTurnLoop(
  trajectories: readonly TracedTrajectory[],
  slots: Slots,
  wait: Wait,
): Promise<void> {
  const { signal } = new AbortController();
  for (let turn = 0; ; turn++) {
    const turns = trajectories.flatMap(({ turns }) => turns[turn] ?? []);
    if (turns.length === 0) return;
    const executions = turns.flatMap(({ sandbox }) => sandbox ?? []);
    await mapBounded(
      turns.map(({ model }) => model),
      slots.model,
      signal,
      wait,
    );
    await mapBounded(executions, slots.sandbox, signal, wait);
  }
}
