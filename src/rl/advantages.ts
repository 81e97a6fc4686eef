import type { Experiment } from '../schema/experiment';

/** Rewards of a group that differ by no more than this carry no signal; centring equal floats can leave 1e-16. */
const equalWithin = 1e-9;

/** True when the rewards of a group are equal, so that it has no gradient. Never decided by `advantage === 0`. */
export function isDegenerate(rewards: readonly number[]): boolean {
  return rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) <= equalWithin;
}

export type AdvantageSettings = Pick<Experiment['reinforcement'], 'advantage' | 'advantageEpsilon'>;

/**
 * Group-relative advantages.
 *
 * - `centred`: reward minus the mean of its own group (GRPO without the division, as Dr. GRPO, arXiv:2503.20783).
 * - `standardised`: that over the sample standard deviation (n - 1) plus epsilon (GRPO, arXiv:2402.03300, section 4.1).
 * - `leaveOneOut`: reward minus the mean of the others (RLOO, arXiv:2402.14740), which is centred times n / (n - 1).
 *
 * @param rewards rewards_G, one per trajectory of the same problem.
 * @returns advantages_G; all exactly 0 when the group agrees, or has fewer than two members.
 */
export function groupAdvantages(rewards: readonly number[], settings: AdvantageSettings): number[] {
  if (isDegenerate(rewards)) return rewards.map(() => 0);
  const size = rewards.length;
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / size;
  const centred = rewards.map((reward) => reward - mean);
  if (settings.advantage === 'centred') return centred;
  if (settings.advantage === 'leaveOneOut') return centred.map((value) => (value * size) / (size - 1));
  const deviation = Math.sqrt(centred.reduce((sum, value) => sum + value * value, 0) / (size - 1));
  return centred.map((value) => value / (deviation + settings.advantageEpsilon));
}
