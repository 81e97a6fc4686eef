import { parentPort, workerData } from 'node:worker_threads';
import { valuesOf } from '../behaviour/measures';
import { RetoolError } from '../lib/errors';
import type { BehaviourRow, ToBehaviour } from '../schema/behaviour';
import type { RolloutPlace } from '../schema/trajectory';
import { behaviourAt, behaviourOverSteps, type PlacedBehaviour, sampledSteps, stepsWithRollouts } from './runBehaviour';

/** What the thread is started with: a run, and a step or an evaluation where not all steps are asked for. */
export interface BehaviourTask {
  readonly folder: string;
  readonly place?: RolloutPlace | undefined;
  /** Said where the run has no step with trajectories. */
  readonly none: string;
}

const send = (message: ToBehaviour): void => parentPort?.postMessage(message);

function rowOf({
  place,
  all,
  correct,
  incorrect,
  infrastructure,
  withoutTrajectory,
  unread,
  corrections,
}: PlacedBehaviour) {
  const row: BehaviourRow = {
    place,
    all: valuesOf(all),
    correct: valuesOf(correct),
    incorrect: valuesOf(incorrect),
    counts: { all: all.trajectories, correct: correct.trajectories, incorrect: incorrect.trajectories },
    leftOut: infrastructure + withoutTrajectory + (unread?.lines ?? 0),
    corrections: corrections.map(({ failedCode: _failed, correctedCode: _corrected, ...rest }) => rest),
  };
  return row;
}

/** Reads trajectories and their code beside the editor's own thread, which can end it at any time. */
async function main({ folder, place, none }: BehaviourTask): Promise<void> {
  if (place) {
    send({ type: 'planned', places: 1, stored: 1 });
    send({ type: 'row', row: rowOf(await behaviourAt(folder, place)) });
  } else {
    const stored = await stepsWithRollouts(folder);
    if (stored.length === 0) throw new RetoolError('run', none);
    const steps = sampledSteps(stored);
    send({ type: 'planned', places: steps.length, stored: stored.length });
    for await (const behaviour of behaviourOverSteps(folder, steps)) send({ type: 'row', row: rowOf(behaviour) });
  }
  send({ type: 'ended', cancelled: false });
}

main(workerData as BehaviourTask).catch((error: unknown) => {
  const known = RetoolError.from('bug', 'Behaviour cannot be read', error);
  send({ type: 'failed', message: [known.message, known.hint].filter(Boolean).join(' ') });
});
