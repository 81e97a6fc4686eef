import { RetoolError } from '../lib/errors';
import type { Metrics } from '../schema/journal';
import { scaled, trainedTokens } from './datum';
import { present } from './metrics';
import { type MicroBatchLimits, packMicroBatches } from './packing';
import type { AdamParameters, Datum, Loss, Trainer } from './ports';

/** Adam's settings as experiments name them. */
export interface AdamSettings {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly gradientClip: number;
}

export const adamAt = (settings: AdamSettings, learningRate: number): AdamParameters => ({
  learningRate,
  beta1: settings.beta1,
  beta2: settings.beta2,
  epsilon: settings.epsilon,
  weightDecay: 0,
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
 * One optimizer step on the mean over trained tokens of all `datums`.
 *
 * Coefficients are divided by the number of trained tokens of the whole update, so micro-batches add up to exactly that
 * mean and an entropy bonus keeps its meaning.
 *
 * @throws RetoolError `service` when the service reports a value that is not finite. Its gradient cannot be taken back,
 * so the run has to go on from its last checkpoint.
 */
export async function update(
  trainer: Trainer,
  datums: readonly Datum[],
  loss: Loss,
  adam: AdamParameters,
  limits: MicroBatchLimits,
): Promise<UpdateResult> {
  const tokens = datums.reduce((sum, datum) => sum + trainedTokens(datum), 0);
  const normalised = normalise(loss, tokens);
  const batches = packMicroBatches(scaled(datums, 1 / tokens), limits);
  // Submitted back to back: a service that queues needs no pause between the calls of one update.
  const passes = batches.map((batch) => trainer.forwardBackward(batch, normalised));
  const stepped = trainer.optimStep(adam);
  const [results, optim] = await Promise.all([Promise.all(passes), stepped]);

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
      'train/gradient_norm': optim.grad_norm,
      'train/learning_rate': adam.learningRate,
      'train/tokens': tokens,
    }),
  };
}

const resumeHint = 'Resume the run: it goes on from its last checkpoint. If it happens again, lower the learning rate.';

function normalise(loss: Loss, tokens: number): Loss {
  if (loss.kind === 'crossEntropy' || loss.entropyCoefficient === undefined) return loss;
  return { ...loss, entropyCoefficient: loss.entropyCoefficient / tokens };
}

function logprobGaps(datums: readonly Datum[], logprobs: readonly (readonly number[])[] | undefined): number[] {
  if (!logprobs) return [];
  return datums.flatMap((datum, row) =>
    datum.mask.flatMap((trained, t) => (trained ? [Math.abs(logprobs[row]![t]! - datum.logprobs[t]!)] : [])),
  );
}
