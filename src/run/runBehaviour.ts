import { type Behaviour, BehaviourTally } from '../behaviour/behaviourTally';
import { usualSimilarity } from '../behaviour/similarity';
import { readRun } from '../journal/readRun';
import { trajectoriesAt } from '../journal/rolloutPlace';
import { evaluationFile, exists, rolloutFile } from '../journal/runFolder';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import type { RolloutPlace, Trajectory } from '../schema/trajectory';
import { evaluatedProblems } from './evaluationReport';

/** What a step or an evaluation says of behaviour. */
export interface PlacedBehaviour extends Behaviour {
  readonly place: RolloutPlace;
  /** Generations of an imported file that have no trajectory: nothing is known of them. */
  readonly withoutTrajectory: number;
}

export interface BehaviourOptions {
  /** Least similarity of a failed call and its correction, 0..1. Default: {@link usualSimilarity}. */
  readonly similarity?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Steps of a run that are read where nothing else is asked for. */
export const mostSteps = 60;

/**
 * What the model did with its interpreter in a step or an evaluation.
 *
 * @throws RetoolError `run` or `data` when there are no trajectories, or they cannot be read; rejects on abort.
 */
export async function behaviourAt(
  folder: string,
  place: RolloutPlace,
  { similarity = usualSimilarity, signal }: BehaviourOptions = {},
): Promise<PlacedBehaviour> {
  const tally = new BehaviourTally(similarity);
  let withoutTrajectory = 0;
  let found = 0;
  for await (const trajectory of storedAt(folder, place)) {
    signal?.throwIfAborted();
    if (trajectory) tally.add(trajectory);
    else withoutTrajectory += 1;
    found += Number(trajectory !== undefined);
    await breathe();
  }
  if (found === 0) {
    const where = 'step' in place ? `Step ${place.step}` : `The evaluation "${place.evaluation}"`;
    throw new RetoolError('run', `${where} of ${folder} holds no trajectories.`, {
      hint: 'Behaviour is read from trajectories; a file of results alone has none.',
    });
  }
  return { place, ...tally.result(), withoutTrajectory };
}

/** Undefined for a generation without one. A line of an evaluation is read once for all of its problem. */
async function* storedAt(folder: string, place: RolloutPlace): AsyncGenerator<Trajectory | undefined> {
  if ('step' in place) return yield* trajectoriesAt(folder, place);
  const path = evaluationFile(folder, place.evaluation);
  if (!(await exists(path))) {
    throw new RetoolError('run', `No trajectories are stored at ${path}.`, {
      hint: 'Choose a step or an evaluation that has ended.',
    });
  }
  for await (const line of evaluatedProblems(path)) {
    if (line.type === 'problem') for (const { trajectory } of line.generations) yield trajectory;
  }
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

/** Behaviour step by step, each as soon as it is known. @throws as {@link behaviourAt}. */
export async function* behaviourOverSteps(
  folder: string,
  steps: readonly number[],
  options: BehaviourOptions = {},
): AsyncGenerator<PlacedBehaviour> {
  for (const step of steps) yield behaviourAt(folder, { step }, options);
}
