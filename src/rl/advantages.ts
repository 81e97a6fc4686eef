/** Rewards of a group that differ by no more than this carry no signal; centring equal floats can leave 1e-16. */
const equalWithin = 1e-9;

/** True when the rewards of a group are equal, so that it has no gradient. Never decided by `advantage === 0`. */
export function isDegenerate(rewards: readonly number[]): boolean {
  return rewards.length < 2 || Math.max(...rewards) - Math.min(...rewards) <= equalWithin;
}

/**
 * Group-relative advantages: reward minus the mean of its own group.
 *
 * @param rewards rewards_G, one per trajectory of the same problem.
 * @returns advantages_G; all exactly 0 when the group agrees, or has fewer than two members.
 * @see DeepSeekMath, GRPO, arXiv:2402.03300, section 4.1: here without the division by the standard deviation.
 */
export function centredAdvantages(rewards: readonly number[]): number[] {
  if (isDegenerate(rewards)) return rewards.map(() => 0);
  const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
  return rewards.map((reward) => reward - mean);
}
