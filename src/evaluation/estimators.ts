import { RetoolError } from '../lib/errors';
import { meanOf } from './problemInterval';

/** Of one problem: samples, n, of which so many are correct, c. */
export interface Score {
  readonly samples: number;
  readonly correct: number;
}

/** What one sample answers. */
export interface Vote {
  /** Null: no answer was found, and the sample votes for none. */
  readonly answer: string | null;
  readonly correct: boolean;
}

/** Share correct of one problem, 0..1. @throws RetoolError `data` when it has no samples or more correct than that. */
export function shareOf(score: Score): number {
  const { samples, correct } = checked(score);
  return correct / samples;
}

/**
 * avg@n: the mean over problems of their share correct, 0..1. Every problem weighs the same, however many samples of it
 * could be used.
 *
 * @throws RetoolError `data` when there is no problem.
 */
export function averageAtN(scores: readonly Score[]): number {
  if (scores.length === 0) throw new RetoolError('data', 'An average over problems needs at least one problem.');
  return meanOf(scores.map(shareOf));
}

/**
 * pass@k of one problem, without bias: the probability that of k of its n samples, drawn without putting back, at least
 * one is correct: 1 - C(n-c, k) / C(n, k) (Chen et al. 2021). Drawn with putting back it would come out too low.
 *
 * @throws RetoolError `usage` when k is not a whole number from 1 to n: fewer samples say nothing of k.
 */
export function passAtK(score: Score, k: number): number {
  const { samples: n, correct: c } = checked(score);
  if (!Number.isInteger(k) || k < 1 || k > n) {
    throw new RetoolError('usage', `pass@${k} cannot be told from ${n} samples of a problem.`, {
      hint: `Take a whole number from 1 to ${n}, or more samples.`,
    });
  }
  let allWrong = 1;
  for (let i = 0; i < k; i++) allWrong *= Math.max(0, n - c - i) / (n - i);
  return 1 - allWrong;
}

/**
 * maj@n of one problem: whether the most frequent answer of its n samples is correct, 0 or 1; in between where answers
 * are tied, for of m that are equally frequent each counts 1/m.
 *
 * Correct answers are one answer, however they are written; wrong ones are the same where their text is. Samples without
 * an answer vote for none; where none has one, the majority is wrong.
 *
 * @throws RetoolError `data` when there is no sample.
 */
export function majorityAtN(votes: readonly Vote[]): number {
  if (votes.length === 0) throw new RetoolError('data', 'A majority needs at least one sample.');
  const correct = votes.filter((vote) => vote.correct).length;
  const wrong = new Map<string, number>();
  for (const vote of votes) {
    if (!vote.correct && vote.answer !== null) wrong.set(vote.answer, (wrong.get(vote.answer) ?? 0) + 1);
  }
  const counts = [...wrong.values()];
  if (correct === 0 || counts.some((count) => count > correct)) return 0;
  return 1 / (1 + counts.filter((count) => count === correct).length);
}

function checked(score: Score): Score {
  const { samples, correct } = score;
  const whole = Number.isInteger(samples) && Number.isInteger(correct);
  if (whole && samples >= 1 && correct >= 0 && correct <= samples) return score;
  throw new RetoolError('data', `A problem cannot have ${correct} correct of ${samples} samples.`);
}

/** The k at which pass@k is told: 1, 2, 4 and so on up to n, and n itself. */
export function powersOfTwo(n: number): number[] {
  const powers: number[] = [];
  for (let k = 1; k < n; k *= 2) powers.push(k);
  return [...powers, n];
}
