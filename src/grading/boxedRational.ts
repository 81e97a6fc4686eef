import type { Gradable, RewardRule } from '../rl/ports';
import type { Grade } from '../schema/trajectory';
import { lastBox } from './lastBox';
import { equalRationals } from './rationalEquality';

export interface Rewards {
  readonly correct: number;
  readonly incorrect: number;
}

/**
 * The rule `boxed-rational`: the last box of the model's last turn, compared as an exact rational number.
 *
 * A trajectory that was cut, or ended in any other way than by answering, is incorrect whatever it holds. Where a side
 * is no number, equal texts are correct and all else is unknown, rewarded as incorrect.
 */
export function boxedRational(rewards: Rewards = { correct: 1, incorrect: -1 }): RewardRule {
  const grade = (verdict: Grade['verdict'], predicted: string | undefined, reason: string): Grade => ({
    reward: verdict === 'correct' ? rewards.correct : rewards.incorrect,
    verdict,
    formatted: predicted !== undefined,
    predicted: predicted ?? null,
    reason,
  });

  return {
    name: 'boxed-rational',
    grade({ gold, turns, stop }: Gradable): Grade {
      const box = stop === 'answered' ? lastBox(turns.at(-1)?.text ?? '') : undefined;
      const predicted = box?.trim();
      if (stop !== 'answered') return grade('incorrect', predicted, unanswered[stop]);
      if (predicted === undefined) return grade('incorrect', predicted, 'The answer holds no complete box.');
      if (predicted === gold.trim()) return grade('correct', predicted, 'The box holds the gold answer.');
      switch (equalRationals(predicted, gold)) {
        case true:
          return grade('correct', predicted, 'The box holds the number of the gold answer, written differently.');
        case false:
          return grade('incorrect', predicted, 'The box holds another number than the gold answer.');
        default:
          return grade('unknown', predicted, 'The box and the gold answer differ and are not both rational numbers.');
      }
    },
  };
}

const unanswered: Record<Exclude<Gradable['stop'], 'answered'>, string> = {
  turnLimit: 'The turns were used up before an answer.',
  callLimit: 'The calls were used up before an answer.',
  turnTokens: 'The turn was cut before it ended.',
  trajectoryTokens: 'The trajectory was cut before it ended.',
  malformedCall: 'The last call cannot be read.',
  infrastructure: 'The sandbox or the service failed.',
};
