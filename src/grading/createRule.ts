import type { Gradable, RewardRule } from '../rl/ports';
import type { Experiment } from '../schema/experiment';
import type { Grade } from '../schema/trajectory';
import { adjustReward } from './adjustReward';
import type { Compared } from './comparers';
import { findBox } from './findBox';
import { gradeFlags } from './gradeFlags';
import { lastWords, rewardRules } from './rewardRules';

export type RewardSettings = Experiment['reward'];

/** What a right answer earns and what anything else does, before adjustments. */
export function rewardsOf({ rule, correct, incorrect }: Omit<RewardSettings, 'adjustments'>): {
  readonly correct: number;
  readonly incorrect: number;
} {
  const own = rewardRules[rule].rewards ?? { correct: 1, incorrect: -1 };
  return { correct: correct ?? own.correct, incorrect: incorrect ?? own.incorrect };
}

/**
 * The rule that an experiment names, with what it adds.
 *
 * Only the last turn's own text holds an answer, and only where the model ended by answering: a trajectory that was cut is
 * incorrect whatever it holds. What is unknown is paid as incorrect.
 */
export function createRule(settings: RewardSettings): RewardRule {
  const { rule: name, adjustments: own } = settings;
  const { box, unboxed, compare, adjustments } = rewardRules[name];
  const rewards = rewardsOf(settings);
  return {
    name,
    grade(trajectory: Gradable): Grade {
      const words = trajectory.stop === 'answered' ? lastWords(trajectory) : '';
      const boxed = findBox(words, box);
      const predicted = boxed ?? unboxed?.(words);
      const compared = judge(trajectory, predicted, compare);
      const isCorrect = compared.verdict === 'correct';
      const formatted = boxed !== undefined;
      const answer = isCorrect ? rewards.correct : rewards.incorrect;
      const parts = [{ name: 'answer', reward: answer }];
      let reward = answer;
      for (const adjustment of [...adjustments, ...own]) {
        const next = adjustReward({ reward, correct: isCorrect, formatted }, adjustment, trajectory);
        if (next !== reward) parts.push({ name: adjustment.kind, reward: next - reward });
        reward = next;
      }
      const flags = isCorrect && predicted !== undefined ? gradeFlags(trajectory, predicted) : [];
      return {
        reward,
        verdict: compared.verdict,
        formatted,
        predicted: predicted ?? null,
        reason: compared.reason,
        ...(compared.read && { read: compared.read }),
        ...(parts.length > 1 && { parts }),
        ...(flags.length > 0 && { flags }),
      };
    },
  };
}

function judge(
  { gold, stop }: Gradable,
  predicted: string | undefined,
  compare: (gold: string, predicted: string) => Compared,
): Compared {
  if (stop !== 'answered') return { verdict: 'incorrect', reason: unanswered[stop] };
  if (predicted === undefined) return { verdict: 'incorrect', reason: 'The answer holds no complete box.' };
  return compare(gold, predicted);
}

const unanswered: Record<Exclude<Gradable['stop'], 'answered'>, string> = {
  turnLimit: 'The turns were used up before an answer.',
  callLimit: 'The calls were used up before an answer.',
  turnTokens: 'The turn was cut before it ended.',
  trajectoryTokens: 'The trajectory was cut before it ended.',
  malformedCall: 'The last call cannot be read.',
  contentFilter: 'A filter of the service withheld the answer.',
  infrastructure: 'The sandbox or the service failed.',
};
