import type { Slots, TracedTrajectory } from './trace';

interface Activity {
  readonly trajectory: TracedTrajectory;
  readonly turn: number;
  readonly resource: keyof Slots;
}

/**
 * Event simulation of trajectories that advance on their own: slots are given first come, first served, and nothing but
 * samples and executions takes time.
 *
 * @param trajectories in the order in which they begin.
 * @returns seconds until the last has ended.
 */
export function idealSeconds(trajectories: readonly TracedTrajectory[], slots: Slots): number {
  const free = { ...slots };
  const queues: Record<keyof Slots, Activity[]> = { model: [], sandbox: [] };
  const running: (Activity & { readonly ends: number })[] = [];
  let now = 0;
  const begin = (resource: keyof Slots) => {
    while (free[resource] > 0) {
      const next = queues[resource].shift();
      if (!next) return;
      free[resource] -= 1;
      running.push({ ...next, ends: now + next.trajectory.turns[next.turn]![resource]! });
    }
  };
  queues.model.push(...trajectories.map((trajectory) => ({ trajectory, turn: 0, resource: 'model' as const })));
  begin('model');
  while (running.length > 0) {
    // Of those that end at once, the first that began.
    const first = running.reduce((least, each) => (each.ends < least.ends ? each : least));
    running.splice(running.indexOf(first), 1);
    const { trajectory, turn, resource, ends } = first;
    now = ends;
    free[resource] += 1;
    begin(resource);
    if (resource === 'sandbox') queues.model.push({ trajectory, turn: turn + 1, resource: 'model' });
    else if (trajectory.turns[turn]!.sandbox !== null) queues.sandbox.push({ trajectory, turn, resource: 'sandbox' });
    begin('model');
    begin('sandbox');
  }
  return now;
}
