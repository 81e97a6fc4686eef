import { type Score, shareOf } from '../evaluation/estimators';
import { pairedDifference } from '../evaluation/pairedDifference';
import { shareInterval } from '../evaluation/shareInterval';
import type { EvaluationResult } from '../schema/journal';
import type { Problem, Trajectory } from '../schema/trajectory';

/**
 * What an evaluation says of its problems one by one: their scores, the interval of the mean of their shares, and how
 * much more of each is solved than before.
 *
 * No interval where no problem has two samples: then a problem is an observation, and any interval of a share will do.
 *
 * @param trajectories those that count.
 */
export function overProblems(
  trajectories: readonly Trajectory[],
  problems: readonly Problem[],
  before: EvaluationResult | undefined,
): Pick<EvaluationResult, 'interval' | 'scores' | 'change'> {
  const scores = new Map(problems.map(({ id }) => [id, { correct: 0, samples: 0 }]));
  for (const { problemId, grade } of trajectories) {
    const score = scores.get(problemId)!;
    score.samples += 1;
    if (grade.verdict === 'correct') score.correct += 1;
  }
  const shares = sharesOf(scores);
  const several = [...scores.values()].some(({ samples }) => samples > 1);
  const told = before?.scores?.map(([correct, samples]) => ({ correct, samples }));
  const earlier = told && sharesOf(new Map([...scores.keys()].flatMap((id, i) => (told[i] ? [[id, told[i]]] : []))));
  // A problem that every sample of one side was lost of says nothing of the change.
  const both = earlier && [...shares.keys()].filter((id) => earlier.has(id));
  const among = (side: ReadonlyMap<string, number>) => new Map(both?.map((id) => [id, side.get(id)!]));
  return {
    ...(several && { interval: shareInterval([...shares.values()]) }),
    scores: [...scores.values()].map(({ correct, samples }) => [correct, samples]),
    ...(earlier && both && both.length > 0 && { change: pairedDifference(among(earlier), among(shares)) }),
  };
}

/** By id of problem; those without a sample are left out. */
const sharesOf = (scores: ReadonlyMap<string, Score>) =>
  new Map([...scores].flatMap(([id, score]) => (score.samples > 0 ? [[id, shareOf(score)]] : [])));
