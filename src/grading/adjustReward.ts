import type { Gradable } from '../rl/ports';
import type { RewardAdjustment } from '../schema/reward';
import { addedIn, sampledIn } from '../schema/trajectory';

/** What an adjustment looks at besides the trajectory. */
export interface Scored {
  readonly reward: number;
  readonly correct: boolean;
  readonly formatted: boolean;
}

/** The reward after one adjustment. */
export function adjustReward(scored: Scored, adjustment: RewardAdjustment, trajectory: Gradable): number {
  switch (adjustment.kind) {
    case 'toolShaping':
      return shapedReward(scored.reward, callsOf(trajectory), adjustment);
    case 'executionPenalty':
      return scored.reward - (failedLast(trajectory, adjustment.withoutCode) ? adjustment.amount : 0);
    case 'overlong':
      return scored.reward + overlongPenalty(tokensOf(trajectory), adjustment);
    case 'format':
      if (!scored.formatted) return scored.reward + adjustment.missing;
      return scored.correct ? scored.reward : scored.reward + adjustment.boxed;
  }
}

/**
 * A negative reward rises by 0.05 per turn beyond two, up to the cap.
 *
 * @param count verl's `num_turns` is 2k+2 for k calls; slime puts k in its place.
 * @see verl-recipe, retool/retool.py: `min(-0.6, score + (num_turns - 2) / 2 * 0.1)`; an older copy has the cap 0.
 */
export function shapedReward(
  reward: number,
  calls: number,
  { count, cap }: { readonly count: 'verl' | 'slime'; readonly cap: number },
): number {
  if (reward >= 0) return reward;
  const turns = count === 'verl' ? 2 * calls + 2 : calls;
  return Math.min(cap, reward + ((turns - 2) / 2) * 0.1);
}

/**
 * 0 up to limit - buffer, then falling linearly to -factor at the limit, and on beyond it.
 *
 * @see DAPO, arXiv:2503.14476, soft overlong punishment; verl's `DAPORewardManager`.
 */
export function overlongPenalty(
  tokens: number,
  { limit, buffer, factor }: { readonly limit: number; readonly buffer: number; readonly factor: number },
): number {
  const beyond = tokens - (limit - buffer);
  return beyond <= 0 ? 0 : (-beyond / buffer) * factor;
}

/** Calls that were executed: one that a budget forbids counts as none, in verl and in slime. */
const callsOf = ({ turns }: Gradable) => turns.filter(({ result }) => result !== undefined).length;

/** Tokens after the prompt, those of the interpreter included. */
const tokensOf = ({ turns }: Gradable) => turns.reduce((sum, turn) => sum + sampledIn(turn) + addedIn(turn), 0);

function failedLast({ turns }: Gradable, withoutCode: boolean): boolean {
  const last = turns.findLast(({ result }) => result !== undefined && result.status !== 'infrastructure');
  return last?.result === undefined ? withoutCode : last.result.status !== 'ok';
}
