import { equalAnswers } from './equalAnswers';
import { equal as equalRationals } from './equality/rational';
import { literalNumber } from './literalNumber';

/** How a rule compares what it found with the gold answer. */
export interface Compared {
  readonly verdict: 'correct' | 'incorrect' | 'unknown';
  /** One sentence. */
  readonly reason: string;
  readonly read?: { readonly gold: string; readonly predicted: string };
}

export type Comparer = (gold: string, predicted: string) => Compared;

/** The full comparison of mathematics. */
export const asMathematics: Comparer = (gold, predicted) => {
  const { verdict, reason, gold: goldRead, prediction } = equalAnswers(gold, predicted);
  const verdicts = { equal: 'correct', different: 'incorrect', unknown: 'unknown' } as const;
  return { verdict: verdicts[verdict], reason, read: { gold: goldRead, predicted: prediction } };
};

/** Character by character, as `math_dapo.py` does. */
export const asStrings: Comparer = (gold, predicted) =>
  gold === predicted
    ? { verdict: 'correct', reason: 'The box is the gold answer, character by character.' }
    : { verdict: 'incorrect', reason: 'The box is not the gold answer, character by character.' };

/** Numbers that are written out, exactly; other equal texts too. */
export const asRationals: Comparer = (gold, predicted) => {
  if (predicted !== '' && predicted === gold.trim())
    return { verdict: 'correct', reason: 'The box holds the gold answer.' };
  const [a, b] = [literalNumber(gold), literalNumber(predicted)];
  if (!a || !b) {
    return { verdict: 'unknown', reason: 'The box and the gold answer differ and are not both rational numbers.' };
  }
  return equalRationals(a, b)
    ? { verdict: 'correct', reason: 'The box holds the number of the gold answer, written differently.' }
    : { verdict: 'incorrect', reason: 'The box holds another number than the gold answer.' };
};
