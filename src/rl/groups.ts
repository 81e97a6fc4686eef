import type { Experiment } from '../schema/experiment';
import type { Metrics } from '../schema/journal';
import type { Trajectory } from '../schema/trajectory';
import { groupAdvantages, isDegenerate } from './advantages';
import { hasVoidTurn, keepCleanest } from './filters';
import { isInfrastructure } from './metrics';

/** Why a group is not trained on. `single`: fewer than two of it count. `surplus`: enough others have a signal. */
const reasons = ['equalRewards', 'single', 'noCorrect', 'masked', 'surplus'] as const;
export type Dropped = (typeof reasons)[number];

/** The trajectories of one problem in one step, advantages filled in. */
export interface Group {
  readonly trajectories: readonly Trajectory[];
  /** Undefined when the group is trained on. */
  readonly dropped: Dropped | undefined;
}

export type GroupSettings = Pick<
  Experiment['reinforcement'],
  'advantage' | 'advantageEpsilon' | 'outcomeGate' | 'maskVoidTurns' | 'resampleOnCorrect'
>;

/**
 * Gives a group its advantages, or the reason why it has none.
 *
 * Trajectories that ended by infrastructure say nothing of the policy: they are no part of the baseline. Those that
 * resampling leaves out are none either; those with a void turn are, but are not trained on.
 */
export function judgeGroup(rolled: readonly Trajectory[], settings: GroupSettings): Group {
  const valid = rolled.filter((trajectory) => !isInfrastructure(trajectory));
  const { resampleOnCorrect: keep } = settings;
  const kept = new Set(keep === undefined ? valid : keepCleanest(valid, keep));
  const counted = valid.filter((trajectory) => kept.has(trajectory));
  const rewards = counted.map(({ grade }) => grade.reward);

  let dropped: Dropped | undefined;
  if (rewards.length < 2) dropped = 'single';
  else if (isDegenerate(rewards)) dropped = 'equalRewards';
  else if (settings.outcomeGate && !hasCorrect(counted)) dropped = 'noCorrect';
  const advantages = dropped ? [] : groupAdvantages(rewards, settings);
  const trajectories = rolled.map((trajectory) => {
    const leftOut = leftOutReason(trajectory, kept, settings);
    const advantage = leftOut ? 0 : (advantages[counted.indexOf(trajectory)] ?? 0);
    return { ...trajectory, advantage, ...(leftOut && { leftOut }) };
  });
  if (!dropped && trajectories.every(({ advantage }) => advantage === 0)) dropped = 'masked';
  return { trajectories, dropped };
}

function leftOutReason(
  trajectory: Trajectory,
  kept: ReadonlySet<Trajectory>,
  settings: GroupSettings,
): Trajectory['leftOut'] {
  if (isInfrastructure(trajectory)) return undefined;
  if (!kept.has(trajectory)) return 'resampled';
  return settings.maskVoidTurns && hasVoidTurn(trajectory) ? 'voidTurn' : undefined;
}

/** Trajectories of a group that its update sees. */
export const trainedOf = ({ trajectories, dropped }: Group): Trajectory[] =>
  dropped ? [] : trajectories.filter((trajectory) => !isInfrastructure(trajectory) && !trajectory.leftOut);

const hasCorrect = (trajectories: readonly Trajectory[]) =>
  trajectories.some(({ grade }) => grade.verdict === 'correct');

/** True when a group without a correct answer moves the policy: by shaping alone. */
export const isPhantom = (group: Group): boolean => !group.dropped && !hasCorrect(group.trajectories);

/** Groups by what became of them. What no setting asks for is told only where it happened. */
export function groupMetrics(groups: readonly Group[], settings: Experiment['reinforcement']): Metrics {
  const count = (reason: Dropped) => groups.filter(({ dropped }) => dropped === reason).length;
  const { outcomeGate, maskVoidTurns, resampleOnCorrect, dynamicSampling } = settings;
  const filters = outcomeGate || maskVoidTurns || resampleOnCorrect !== undefined || dynamicSampling !== undefined;
  const trajectories = groups.flatMap((group) => group.trajectories);
  const leftOut = (reason: Trajectory['leftOut']) => trajectories.filter((each) => each.leftOut === reason).length;
  const phantom = groups.filter(isPhantom).length;
  return {
    ...Object.fromEntries(
      reasons
        .filter((reason) => filters || (reason === 'single' && count(reason) > 0))
        .map((reason) => [`rollout/dropped_${underscored(reason)}`, count(reason)]),
    ),
    ...(filters && { 'rollout/trained_groups': groups.filter(({ dropped }) => !dropped).length }),
    ...(maskVoidTurns && { 'rollout/masked_void_turns': leftOut('voidTurn') }),
    ...(resampleOnCorrect !== undefined && { 'rollout/resampled_out': leftOut('resampled') }),
    ...(phantom > 0 && { 'rollout/phantom_groups': phantom }),
  };
}

const underscored = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Why a step made no update, in a sentence. */
export function noUpdateReason(groups: readonly Group[]): string {
  const alike = groups.every(({ dropped }) => dropped === 'equalRewards' || dropped === 'single');
  if (alike) return `Rewards are all equal in each of the ${groups.length} groups: no update.`;
  const words: Record<Dropped, string> = {
    equalRewards: 'with equal rewards',
    single: 'with fewer than two trajectories',
    noCorrect: 'without a correct answer',
    masked: 'with void turns alone',
    surplus: 'more than needed',
  };
  const told = reasons.flatMap((reason) => {
    const count = groups.filter(({ dropped }) => dropped === reason).length;
    return count > 0 ? [`${count} ${words[reason]}`] : [];
  });
  return `None of the ${groups.length} groups has a signal (${told.join(', ')}): no update.`;
}

/** What a person should know who sees the first of them. */
export function phantomWarning(groups: readonly Group[]): string {
  const phantom = groups.filter(isPhantom);
  const sizes = phantom.flatMap(({ trajectories }) => trajectories.map(({ advantage }) => Math.abs(advantage)));
  const most = sizes.reduce((max, size) => Math.max(max, size), 0);
  return `${phantom.length} groups without a correct answer have advantages up to ±${most.toFixed(2)}, from shaping alone: reinforcement.outcomeGate drops such groups.`;
}
