import { RetoolError } from '../lib/errors';
import type { Experiment } from '../schema/experiment';
import type { Trajectory } from '../schema/trajectory';
import { type Span, toDatum } from './datum';
import { type Group, trainedOf } from './groups';
import type { Datum, Loss } from './ports';

/** @throws RetoolError `data` naming the position when the record of its tokens is not sound. */
export function trajectoryDatum(trajectory: Trajectory): Datum {
  const spans: Span[] = [{ tokens: trajectory.prompt, logprobs: undefined }];
  for (const turn of trajectory.turns) {
    spans.push({ tokens: turn.tokens, logprobs: turn.logprobs }, { tokens: turn.added, logprobs: undefined });
  }
  return toDatum(spans, trajectory.advantage);
}

/**
 * The updates of a step: groups with a signal, divided in order into `minibatches` parts of nearly equal numbers of
 * groups. Parts without a row are left out.
 */
export function minibatches(groups: readonly Group[], count: number): Datum[][] {
  const useful = groups.filter(({ dropped }) => !dropped);
  return Array.from({ length: count }, (_, k) =>
    useful
      .slice(Math.floor((k * useful.length) / count), Math.floor(((k + 1) * useful.length) / count))
      .flatMap(trainedOf)
      .map(trajectoryDatum),
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
