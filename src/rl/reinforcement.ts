import { RetoolError } from '../lib/errors';
import type { Experiment } from '../schema/experiment';
import type { Metrics } from '../schema/journal';
import type { Trajectory } from '../schema/trajectory';
import { type Span, toDatum, trainedTokens } from './datum';
import { type Group, trainedOf } from './groups';
import { type Corrected, correctRow } from './importanceCorrection';
import { isInfrastructure, present, sampledTokensOf } from './metrics';
import type { Objective } from './objective';
import type { MicroBatchLimits } from './packing';
import type { AdamParameters, Datum, Trainer } from './ports';
import { logprobsOf, type UpdateResult, update } from './update';

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
function minibatches(groups: readonly Group[], count: number): Datum[][] {
  const useful = groups.filter(({ dropped }) => !dropped);
  return Array.from({ length: count }, (_, k) =>
    useful
      .slice(Math.floor((k * useful.length) / count), Math.floor(((k + 1) * useful.length) / count))
      .flatMap(trainedOf)
      .map(trajectoryDatum)
      .filter((datum) => trainedTokens(datum) > 0),
  ).filter((datums) => datums.length > 0);
}

/** The first update of a step is on-policy: a gap this large means that sampler and trainer do not see the same text. */
const gapLimit = 0.5;

/** @param gapMean trainer against sampler, nats per token, of the first update. @throws RetoolError `service`. */
function checkOnPolicy(gapMean: number | undefined): void {
  if (gapMean === undefined || gapMean <= gapLimit) return;
  throw new RetoolError(
    'service',
    `The service's trainer and sampler disagree by ${gapMean.toFixed(2)} nats per token on what it has just sampled.`,
    { hint: 'Nothing was learned from it. Check that both use the same weights and the same tokens.' },
  );
}

/**
 * The updates of one step.
 *
 * @param reference a trainer of the weights at the start of the reinforcement, where the loss has a KL penalty.
 * @returns their metrics; `train/updates` is 0 where no group had a signal.
 * @throws RetoolError `service` when trainer and sampler disagree on what was just sampled.
 */
export async function updateOnGroups(
  trainer: Trainer,
  groups: readonly Group[],
  { minibatches: count, loss }: Experiment['reinforcement'],
  objective: Objective,
  reference: Trainer | undefined,
  adam: AdamParameters,
  limits: MicroBatchLimits,
): Promise<Metrics> {
  let parts = minibatches(groups, count);
  let gap: Pick<UpdateResult, 'gapMax' | 'gapMean'> | undefined;
  let corrected: Metrics = {};
  if (loss.importanceCorrection && parts.length > 0) {
    const { importanceCorrection: settings } = loss;
    const current = await logprobsOf(trainer, parts.flat(), limits);
    const rows = parts.map((part) => part.map((datum) => correctRow(datum, current.get(datum)!, settings)));
    parts = rows.map((part) => part.map(({ datum }) => datum));
    const total = (of: (row: Corrected) => number) => rows.flat().reduce((sum, row) => sum + of(row), 0);
    const tokens = total(({ datum }) => trainedTokens(datum));
    gap = {
      gapMax: rows.flat().reduce((max, row) => Math.max(max, row.gapMax), 0),
      gapMean: total(({ gapSum }) => gapSum) / tokens,
    };
    checkOnPolicy(gap.gapMean);
    corrected = {
      'train/importance_weight_mean': total(({ weights }) => weights) / tokens,
      'train/importance_weight_bounded': total(({ bounded }) => bounded) / tokens,
    };
  }
  if (reference) {
    const fixed = await logprobsOf(reference, parts.flat(), limits);
    parts = parts.map((part) => part.map((datum) => ({ ...datum, reference: fixed.get(datum)! })));
  }
  const aggregation =
    loss.meanOver === 'sampled'
      ? { ...objective.aggregation, uncounted: uncounted(groups, parts) }
      : objective.aggregation;
  const updates: UpdateResult[] = [];
  for (const datums of parts) {
    const result = await update(trainer, datums, { ...objective, aggregation }, adam, limits);
    if (updates.length === 0 && !gap) checkOnPolicy(result.gapMean);
    updates.push(result);
  }
  const { gapMax, gapMean } = gap ?? updates[0] ?? {};
  return present({
    ...meanOf(updates.map(({ metrics }) => metrics)),
    ...corrected,
    'train/updates': updates.length,
    'train/logprob_gap_max': gapMax,
    'train/logprob_gap_mean': gapMean,
  });
}

/** What was sampled and is not trained on, an equal share of it for each update. */
function uncounted(groups: readonly Group[], parts: readonly (readonly Datum[])[]) {
  const sampled = groups.flatMap(({ trajectories }) => trajectories.filter((each) => !isInfrastructure(each)));
  const trained = parts.flat();
  const tokens = sampled.reduce((sum, each) => sum + sampledTokensOf(each), 0);
  return {
    rows: (sampled.length - trained.length) / parts.length,
    tokens: (tokens - trained.reduce((sum, datum) => sum + trainedTokens(datum), 0)) / parts.length,
  };
}

/** Mean of each metric over the updates of a step; tokens add up. */
function meanOf(all: readonly Metrics[]): Metrics {
  const names = [...new Set(all.flatMap(Object.keys))];
  return Object.fromEntries(
    names.map((name) => {
      const values = all.flatMap((metrics) => metrics[name] ?? []);
      const total = values.reduce((sum, value) => sum + value, 0);
      return [name, name === 'train/tokens' ? total : total / values.length];
    }),
  );
}
