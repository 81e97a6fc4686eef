import type { Experiment } from '../schema/experiment';
import { trainedTokens } from './datum';
import { ratioOf } from './losses';
import type { Datum } from './ports';

type Settings = NonNullable<Experiment['reinforcement']['loss']['importanceCorrection']>;

export interface Corrected {
  readonly datum: Datum;
  /** Over its trained tokens: sum of the weights, and how many of them were bounded. */
  readonly weights: number;
  readonly bounded: number;
  /** Largest and summed difference of trainer and sampler, nats. */
  readonly gapMax: number;
  readonly gapSum: number;
}

/**
 * Weighs a row by the trainer's probability of what the sampler sampled over the sampler's own, and takes the trainer's
 * log-probabilities for the old ones, so that the loss's ratio starts at 1 (truncated or masked importance sampling).
 *
 * @param trainer log-probabilities of the same weights that sampled, nats.
 * @see https://fengyao.notion.site/off-policy-rl; verl's `rollout_correction`.
 */
export function correctRow(datum: Datum, trainer: readonly number[], settings: Settings): Corrected {
  const { mask, logprobs, coefficients } = datum;
  const gaps = mask.map((trained, t) => (trained ? trainer[t]! - logprobs[t]! : 0));
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const exponent = (t: number) => {
    if (settings.level === 'token') return gaps[t]!;
    return settings.level === 'sequence' ? total : total / trainedTokens(datum);
  };
  let [weights, bounded] = [0, 0];
  const corrected = coefficients.map((coefficient, t) => {
    if (!mask[t]) return 0;
    const { ratio } = ratioOf(exponent(t));
    const weight = boundedRatio(ratio, settings);
    weights += weight;
    if (weight !== ratio) bounded += 1;
    return coefficient * weight;
  });
  const sizes = gaps.map(Math.abs);
  return {
    datum: {
      ...datum,
      coefficients: corrected,
      logprobs: mask.map((trained, t) => (trained ? trainer[t]! : 0)),
    },
    weights,
    bounded,
    gapMax: sizes.reduce((max, gap) => Math.max(max, gap), 0),
    gapSum: sizes.reduce((sum, gap) => sum + gap, 0),
  };
}

export function boundedRatio(ratio: number, { mode, low, high }: Settings): number {
  if (mode === 'truncate') return Math.min(ratio, high);
  return ratio >= low && ratio <= high ? ratio : 0;
}
