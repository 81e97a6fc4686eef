import { RetoolError } from '../lib/errors';
import type { Metrics } from '../schema/journal';
import { rowWeights } from './aggregation';
import { forwardBackwardCustom, silent, type WeightedDatum } from './customLoss';
import { trainedTokens } from './datum';
import { present } from './metrics';
import type { Objective } from './objective';
import { type MicroBatchLimits, packMicroBatches } from './packing';
import type { AdamParameters, Datum, Loss, LossResult, Trainer } from './ports';

/** Adam's settings as experiments name them. */
export interface AdamSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly gradientClip: number;
  readonly weightDecay: number;
}

export const adamAt = (settings: AdamSettings, learningRate: number): AdamParameters => ({
  learningRate,
  beta1: settings.beta1,
  beta2: settings.beta2,
  epsilon: settings.epsilon,
  weightDecay: settings.weightDecay,
  gradientClip: settings.gradientClip,
});

/** What one update saw. `gap`: trainer against sampler log-probability, nats, over trained tokens. */
export interface UpdateResult {
  readonly metrics: Metrics;
  readonly tokens: number;
  readonly gapMax: number | undefined;
  readonly gapMean: number | undefined;
}

/**
 * One optimizer step on the losses of all `datums`, aggregated as the objective says.
 *
 * Coefficients hold each row's weight in the whole update, so micro-batches add up to exactly the wanted reduction and an
 * entropy bonus keeps its meaning.
 *
 * @throws RetoolError `service` when the service reports a value that is not finite. Its gradient cannot be taken back,
 * so the run has to go on from its last checkpoint.
 */
export async function update(
  trainer: Trainer,
  datums: readonly Datum[],
  { loss, aggregation }: Objective,
  adam: AdamParameters,
  limits: MicroBatchLimits,
): Promise<UpdateResult> {
  const tokens = datums.reduce((sum, datum) => sum + trainedTokens(datum), 0);
  const weights = rowWeights(datums.map(trainedTokens), aggregation);
  const batches = packMicroBatches(
    datums.map((datum, row) => weighted(datum, weights[row]!)),
    limits,
  );
  const results: LossResult[] = [];
  let optim: Readonly<Record<string, number>>;
  if (typeof loss === 'function') {
    for (const batch of batches) results.push(await forwardBackwardCustom(trainer, batch, loss, datums.length));
    optim = await trainer.optimStep(adam);
  } else {
    const normalised = normalise(loss, weights[0]!);
    // Submitted back to back: a service that queues needs no pause between the calls of one update.
    const passes = batches.map((batch) => trainer.forwardBackward(batch, normalised, datums.length));
    const stepped = trainer.optimStep(adam);
    const [passed, step] = await Promise.all([Promise.all(passes), stepped]);
    results.push(...passed);
    optim = step;
  }

  const sum = (name: string) => {
    const values = results.flatMap(({ metrics }) => metrics[name] ?? []);
    return values.length > 0 ? values.reduce((total, value) => total + value, 0) : undefined;
  };
  for (const { metrics } of results) {
    const bad = Object.entries(metrics).find(([, value]) => !Number.isFinite(value));
    if (bad) throw new RetoolError('service', `The trainer reported ${bad[0]} = ${bad[1]}.`, { hint: resumeHint });
  }
  const gaps = batches.flatMap((batch, i) => logprobGaps(batch, results[i]!.logprobs));
  const perToken = (name: string) => {
    const total = sum(name);
    return total === undefined ? undefined : total / tokens;
  };
  return {
    tokens,
    gapMax: gaps.length > 0 ? gaps.reduce((max, gap) => Math.max(max, gap), 0) : undefined,
    gapMean: gaps.length > 0 ? gaps.reduce((total, gap) => total + gap, 0) / gaps.length : undefined,
    metrics: present({
      'train/loss': sum('loss:sum'),
      'train/entropy': perToken('entropy:sum'),
      'train/clip_fraction': perToken('clipped:sum'),
      'train/dual_clip_fraction': perToken('dual_clipped:sum'),
      'train/kl': perToken('kl:sum'),
      'train/gradient_norm': optim.grad_norm,
      'train/learning_rate': adam.learningRate,
      'train/tokens': tokens,
    }),
  };
}

const resumeHint = 'Resume the run: it goes on from its last checkpoint. If it happens again, lower the learning rate.';

const weighted = (datum: Datum, weight: number): WeightedDatum => ({
  ...datum,
  weight,
  coefficients: datum.coefficients.map((value) => value * weight),
});

/** @param weight of each token's entropy: one for all, see the experiment's cross-field rules. */
function normalise(loss: Loss, weight: number): Loss {
  if (loss.kind === 'crossEntropy' || loss.entropyCoefficient === undefined) return loss;
  return { ...loss, entropyCoefficient: loss.entropyCoefficient * weight };
}

/** What a trainer says of each row's targets, nats; nothing is accumulated. @throws RetoolError `service`. */
export async function logprobsOf(
  trainer: Trainer,
  datums: readonly Datum[],
  limits: MicroBatchLimits,
): Promise<Map<Datum, readonly number[]>> {
  const found = new Map<Datum, readonly number[]>();
  for (const batch of packMicroBatches(datums, limits)) {
    const { logprobs } = await trainer.forward(batch.map(silent), { kind: 'crossEntropy' });
    if (!logprobs) {
      throw new RetoolError('service', 'The service returns no log-probabilities.', {
        hint: 'Leave out reinforcement.loss.kl and reinforcement.loss.importanceCorrection.',
      });
    }
    for (const [row, datum] of batch.entries()) found.set(datum, logprobs[row]!);
  }
  return found;
}

function logprobGaps(datums: readonly Datum[], logprobs: readonly (readonly number[])[] | undefined): number[] {
  if (!logprobs) return [];
  return datums.flatMap((datum, row) =>
    datum.mask.flatMap((trained, t) => (trained ? [Math.abs(logprobs[row]![t]! - datum.logprobs[t]!)] : [])),
  );
}
