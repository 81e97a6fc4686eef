import { automaticCount } from '../rl/automaticEvaluations';
import { computedHere } from '../rl/objective';
import type { Experiment, Prices } from '../schema/experiment';
import type { PlanBasis, Range, Usage } from '../schema/plan';
import type { Limits } from './planBasis';

/** What one trajectory comes to. Tokens; `prompts` of all its turns together, `fresh` what calls add to them. */
interface TrajectoryUsage {
  readonly turns: number;
  readonly calls: number;
  readonly prompts: number;
  readonly fresh: number;
  readonly sampled: number;
  readonly length: number;
}

/** Pairs of turns, of which the later one is sent the earlier one again; between whole numbers it is a mixture of both. */
function pairs(turns: number): number {
  const whole = Math.floor(turns);
  return (whole * (whole - 1)) / 2 + (turns - whole) * whole;
}

/** @param prompt tokens, mean. */
export function typicalTrajectory(basis: PlanBasis, limits: Limits, prompt: number): TrajectoryUsage {
  const calls = Math.min(basis.calls.value, limits.calls);
  const turns = calls + 1;
  const room = limits.trajectory - prompt;
  const sampled = Math.min(basis.response.value, limits.sampled, room);
  const fresh = Math.min(calls * Math.min(basis.added.value, limits.added), room - sampled);
  const perTurn = sampled / turns + (calls > 0 ? fresh / calls : 0);
  return {
    turns,
    calls,
    prompts: turns * prompt + pairs(turns) * perTurn,
    fresh,
    sampled,
    length: prompt + sampled + fresh,
  };
}

/** Every budget used up. @param longest tokens of the longest prompt. */
function fullTrajectory(limits: Limits, turnTokens: number, longest: number): TrajectoryUsage {
  const { turns, calls, added, additions, sampled, trajectory } = limits;
  const prompts = Array.from({ length: turns }, (_, i) => Math.min(trajectory - 1, longest + i * (turnTokens + added)));
  return {
    turns,
    calls,
    prompts: prompts.reduce((sum, length) => sum + length, 0),
    fresh: additions * added,
    sampled,
    length: Math.min(trajectory, longest + turns * turnTokens + additions * added),
  };
}

const none: Usage = {
  trajectories: 0,
  modelCalls: 0,
  toolCalls: 0,
  prefill: 0,
  cachedPrefill: 0,
  sampled: 0,
  trained: 0,
};

/**
 * Samples `groups` of `size` trajectories.
 *
 * @param prompt tokens that a group has in common, which are new to the service once; undefined where it keeps nothing.
 */
function sampling(groups: number, size: number, each: TrajectoryUsage, prompt: number | undefined): Usage {
  const trajectories = groups * size;
  const prompts = trajectories * each.prompts;
  const prefill = prompt === undefined ? prompts : groups * prompt + trajectories * each.fresh;
  return {
    trajectories,
    modelCalls: trajectories * each.turns,
    toolCalls: trajectories * each.calls,
    prefill,
    cachedPrefill: prompts - prefill,
    sampled: trajectories * each.sampled,
    trained: 0,
  };
}

/** Every budget used up by every sample. @param longest tokens of the longest prompt. */
export const evaluationAtMost = (
  { problems, samples, longest }: { readonly problems: number; readonly samples: number; readonly longest: number },
  turnTokens: number,
  limits: Limits,
): Usage => sampling(problems, samples, fullTrajectory(limits, turnTokens, longest), undefined);

const scaled = (usage: Usage, by: number): Usage =>
  Object.fromEntries(Object.entries(usage).map(([name, value]) => [name, value * by])) as unknown as Usage;

const total = (...all: readonly Usage[]): Usage =>
  Object.fromEntries(
    Object.keys(none).map((name) => [name, all.reduce((sum, usage) => sum + usage[name as keyof Usage], 0)]),
  ) as unknown as Usage;

/** Passes over a step's rows: a loss that is computed here asks for log-probabilities first, as does a reference or a correction. */
const passes = ({ reinforcement: { loss } }: Experiment): number =>
  1 +
  Number(computedHere(loss) !== undefined) +
  Number(loss.kl !== undefined) +
  Number(loss.importanceCorrection !== undefined);

export interface Counts {
  /** Groups that a step samples and those of them that it trains on. */
  readonly groups: Range<number>;
  readonly trainedGroups: Range<number>;
  /** Prompts of the evaluation set; undefined without one. */
  readonly evaluation: { readonly problems: number; readonly prompt: PlanBasis['prompt'] } | undefined;
  /** Tokens of a row of the cold start. */
  readonly demonstration: Range<number>;
}

/** How much of everything a run needs, by its parts. */
export function usageOf(experiment: Experiment, basis: PlanBasis, limits: Limits, counts: Counts) {
  const { reinforcement, evaluation: measure, coldStart, budgets } = experiment;
  const { groupSize, resampleOnCorrect } = reinforcement;
  const rows = passes(experiment) * (resampleOnCorrect ?? groupSize);
  const typical = typicalTrajectory(basis, limits, basis.prompt.mean);
  const full = fullTrajectory(limits, budgets.turnTokens, basis.prompt.longest);
  const step: Range<Usage> = {
    typical: {
      ...sampling(counts.groups.typical, groupSize, typical, basis.prompt.mean),
      trained: counts.trainedGroups.typical * rows * typical.length,
    },
    most: {
      ...sampling(counts.groups.most, groupSize, full, undefined),
      trained: counts.trainedGroups.most * rows * full.length,
    },
  };
  // Before, after, and within the reinforcement as often as the budget may leave room.
  const times = 2 + automaticCount(experiment);
  const evaluated = ({ problems, prompt }: NonNullable<Counts['evaluation']>): Range<Usage> => ({
    typical: sampling(
      times * problems,
      measure.samplesPerProblem,
      typicalTrajectory(basis, limits, prompt.mean),
      prompt.mean,
    ),
    most: evaluationAtMost(
      { problems: times * problems, samples: measure.samplesPerProblem, longest: prompt.longest },
      budgets.turnTokens,
      limits,
    ),
  });
  const evaluation = counts.evaluation ? evaluated(counts.evaluation) : { typical: none, most: none };
  const imitated = (length: number) => ({
    ...none,
    trained: (coldStart ? coldStart.steps * coldStart.batchSize : 0) * length,
  });
  const cold = { typical: imitated(counts.demonstration.typical), most: imitated(counts.demonstration.most) };
  const all = (kind: 'typical' | 'most') =>
    total(scaled(step[kind], reinforcement.steps), evaluation[kind], cold[kind]);
  return { step, evaluation, coldStart: cold, run: { typical: all('typical'), most: all('most') } };
}

/** Money for tokens. Prices are per million. */
export function costOf(
  { prefill, cachedPrefill, sampled, trained }: Pick<Usage, 'prefill' | 'cachedPrefill' | 'sampled' | 'trained'>,
  prices: Prices,
): number {
  const cached = prices.cachedPrefill ?? prices.prefill;
  return (prefill * prices.prefill + cachedPrefill * cached + sampled * prices.sample + trained * prices.train) / 1e6;
}
