import { mapBounded } from '../lib/concurrency';
import { RetoolError } from '../lib/errors';
import type { Experiment } from '../schema/experiment';
import type { Problem, Trajectory } from '../schema/trajectory';
import { centredAdvantages, isDegenerate } from './advantages';
import { type Span, toDatum, trainedTokens } from './datum';
import { isInfrastructure } from './metrics';
import type { Datum, Loss } from './ports';
import { type RolloutParts, rollout } from './rollout';

/** G trajectories of each problem of a step, advantages filled in; sorted by problem as given, then branch. */
export async function rolloutGroups(
  problems: readonly Problem[],
  options: { readonly groupSize: number; readonly step: number; readonly seed: number; readonly concurrency: number },
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<Trajectory[][]> {
  const { groupSize, step, seed } = options;
  const work = problems.flatMap((problem) => Array.from({ length: groupSize }, (_, branch) => ({ problem, branch })));
  const trajectories = await mapBounded(work, options.concurrency, signal, ({ problem, branch }) =>
    rollout(problem, { step, branch, seed, path: ['sample', step, problem.id, branch] }, parts, signal),
  );
  return problems.map((_, i) => withAdvantages(trajectories.slice(i * groupSize, (i + 1) * groupSize)));
}

/** Trajectories that ended by infrastructure say nothing of the policy: they are no part of the baseline. */
export function withAdvantages(group: readonly Trajectory[]): Trajectory[] {
  const valid = group.filter((trajectory) => !isInfrastructure(trajectory));
  const advantages = centredAdvantages(valid.map(({ grade }) => grade.reward));
  return group.map((trajectory) => ({ ...trajectory, advantage: advantages[valid.indexOf(trajectory)] ?? 0 }));
}

/** True when a group's rewards are equal among the trajectories that count. */
export const groupIsDegenerate = (group: readonly Trajectory[]): boolean =>
  isDegenerate(group.filter((trajectory) => !isInfrastructure(trajectory)).map(({ grade }) => grade.reward));

/** @throws RetoolError `data` naming the position when the record of its tokens is not sound. */
export function trajectoryDatum(trajectory: Trajectory): Datum {
  const spans: Span[] = [{ tokens: trajectory.prompt, logprobs: undefined }];
  for (const turn of trajectory.turns) {
    const logprobs = turn.masked ? undefined : turn.logprobs;
    spans.push({ tokens: turn.tokens, logprobs }, { tokens: turn.added, logprobs: undefined });
  }
  return toDatum(spans, trajectory.advantage);
}

/**
 * The updates of a step: groups with a signal, divided in order into `minibatches` parts of nearly equal numbers of
 * groups. Parts without a row are left out.
 */
export function minibatches(groups: readonly (readonly Trajectory[])[], count: number): Datum[][] {
  const useful = groups.filter((group) => !groupIsDegenerate(group));
  return Array.from({ length: count }, (_, k) =>
    useful
      .slice(Math.floor((k * useful.length) / count), Math.floor(((k + 1) * useful.length) / count))
      .flat()
      .filter((trajectory) => !isInfrastructure(trajectory))
      .map(trajectoryDatum)
      .filter((datum) => trainedTokens(datum) > 0),
  ).filter((datums) => datums.length > 0);
}

export function policyLoss({ loss }: Experiment['reinforcement']): Loss {
  const entropy = loss.entropyCoefficient > 0 ? { entropyCoefficient: loss.entropyCoefficient } : {};
  return loss.kind === 'importanceSampling'
    ? { kind: loss.kind, ...entropy }
    : { kind: loss.kind, clipLow: loss.clipLow, clipHigh: loss.clipHigh, ...entropy };
}

/** The first update of a step is on-policy: a gap this large means that sampler and trainer do not see the same text. */
const gapLimit = 0.5;

/** @param gapMean trainer against sampler, nats per token, of the first update. @throws RetoolError `service`. */
export function checkOnPolicy(gapMean: number | undefined): void {
  if (gapMean === undefined || gapMean <= gapLimit) return;
  throw new RetoolError(
    'service',
    `The service's trainer and sampler disagree by ${gapMean.toFixed(2)} nats per token on what it has just sampled.`,
    { hint: 'Nothing was learned from it. Check that both use the same weights and the same tokens.' },
  );
}
