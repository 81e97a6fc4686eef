import { type Behaviour, BehaviourTally } from '../behaviour/behaviourTally';
import { usualSimilarity } from '../behaviour/similarity';
import { readRun } from '../journal/readRun';
import { oneMoreUnread, type UnreadLines } from '../journal/rolloutIndex';
import { trajectoriesAt, unreadText } from '../journal/rolloutPlace';
import { exists, rolloutFile } from '../journal/runFolder';
import { breathe } from '../lib/breathe';
import { isAbort, RetoolError } from '../lib/errors';
import type { RolloutPlace } from '../schema/trajectory';

/** What a step or an evaluation says of behaviour. */
export interface PlacedBehaviour extends Behaviour {
  readonly place: RolloutPlace;
  /** Generations of an imported file that have no trajectory: nothing is known of them. */
  readonly withoutTrajectory: number;
  /** What of its file is broken and counts nowhere. */
  readonly unread: UnreadLines | undefined;
  /** Why nothing of it can be read. */
  readonly failure?: string;
}

export interface BehaviourOptions {
  /** Least similarity of a failed call and its correction, 0..1. Default: {@link usualSimilarity}. */
  readonly similarity?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Is told how many trajectories have been read. */
  readonly onRead?: ((trajectories: number) => void) | undefined;
}

/** Steps of a run that are read where nothing else is asked for. */
export const mostSteps = 60;

/**
 * What the model did with its interpreter in a step or an evaluation.
 *
 * Lines that are broken are counted and passed over.
 *
 * @throws RetoolError `run` or `data` when there are no trajectories that can be read; rejects on abort.
 */
export async function behaviourAt(
  folder: string,
  place: RolloutPlace,
  { similarity = usualSimilarity, signal, onRead }: BehaviourOptions = {},
): Promise<PlacedBehaviour> {
  const tally = new BehaviourTally(similarity);
  let withoutTrajectory = 0;
  let found = 0;
  let unread: UnreadLines | undefined;
  const onUnread = (line: number) => {
    unread = oneMoreUnread(unread, line);
  };
  for await (const trajectory of trajectoriesAt(folder, place, onUnread)) {
    signal?.throwIfAborted();
    if (trajectory.imported) withoutTrajectory += 1;
    else {
      tally.add(trajectory);
      found += 1;
    }
    onRead?.(found);
    await breathe();
  }
  if (found === 0) {
    const where = 'step' in place ? `Step ${place.step}` : `The evaluation "${place.evaluation}"`;
    if (unread) throw new RetoolError('data', unreadText(folder, place, unread));
    throw new RetoolError('run', `${where} of ${folder} holds no trajectories.`, {
      hint: 'Behaviour is read from trajectories; a file of results alone has none.',
    });
  }
  return { place, ...tally.result(), withoutTrajectory, unread };
}

/** The steps of a run whose trajectories are stored, in order. */
export async function stepsWithRollouts(folder: string): Promise<number[]> {
  const { points } = await readRun(folder);
  const steps = points.filter(({ phase }) => phase === 'reinforcement').map(({ step }) => step);
  const stored = await Promise.all(steps.map((step) => exists(rolloutFile(folder, step))));
  return steps.filter((_, index) => stored[index]);
}

/**
 * Steps to look at, the first and the last among them.
 *
 * @param every takes each so many-th step from the first one on; else at most {@link mostSteps}, evenly.
 */
export function sampledSteps(steps: readonly number[], every?: number): number[] {
  const last = steps.length - 1;
  if (every !== undefined) return steps.filter((_, index) => index % every === 0 || index === last);
  if (steps.length <= mostSteps) return [...steps];
  return Array.from({ length: mostSteps }, (_, index) => steps[Math.round((index * last) / (mostSteps - 1))]!);
}

/** Behaviour step by step, each as soon as it is known; of a step that cannot be read, why. Rejects on abort. */
export async function* behaviourOverSteps(
  folder: string,
  steps: readonly number[],
  options: BehaviourOptions = {},
): AsyncGenerator<PlacedBehaviour> {
  for (const step of steps) {
    yield await behaviourAt(folder, { step }, options).catch((error: unknown) => unreadStep(step, error));
  }
}

function unreadStep(step: number, error: unknown): PlacedBehaviour {
  if (isAbort(error) || !(error instanceof RetoolError)) throw error;
  const nothing = new BehaviourTally().result();
  return { place: { step }, ...nothing, withoutTrajectory: 0, unread: undefined, failure: error.message };
}
