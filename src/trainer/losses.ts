import type { LossConfig, LossName, TrainingRow } from './engine';

/** One token's share of the loss. */
export interface TokenLoss {
  readonly loss: number;
  /** dLoss / dLogprob. */
  readonly slope: number;
  /** The clip removed this token's gradient. */
  readonly clipped: boolean;
  /** Probability ratio of trainer to sampler; 0 where there is none. */
  readonly ratio: number;
}

const nothing: TokenLoss = { loss: 0, slope: 0, clipped: false, ratio: 0 };

/** Keeps e^x finite in float32 when a policy has drifted out of sight; beyond it the ratio is constant. */
const exponentLimit = 20;

const thresholds = { ppo: [0.8, 1.2], cispo: [0, 4] } as const;

/**
 * The loss of position `t` of a row, given the trainer's log-probability of its target, in nats. Positions of weight or
 * advantage 0 contribute exactly nothing.
 */
export function tokenLoss(name: LossName, config: LossConfig, row: TrainingRow, t: number, logprob: number): TokenLoss {
  if (name === 'cross_entropy') {
    const weight = row.weights?.[t] ?? 1;
    return weight === 0 ? nothing : { loss: -weight * logprob, slope: -weight, clipped: false, ratio: 0 };
  }
  const advantage = row.advantages?.[t] ?? 0;
  if (advantage === 0) return nothing;

  const exponent = logprob - (row.logprobs?.[t] ?? 0);
  const ratio = Math.exp(Math.min(exponentLimit, Math.max(-exponentLimit, exponent)));
  const slope = Math.abs(exponent) > exponentLimit ? 0 : -ratio * advantage;
  const free = { loss: -ratio * advantage, slope, clipped: false, ratio };
  if (name === 'importance_sampling') return free;

  const { clip_low_threshold: low = thresholds[name][0], clip_high_threshold: high = thresholds[name][1] } = config;
  const bounded = Math.min(high, Math.max(low, ratio));
  if (name === 'cispo') {
    return { loss: -bounded * logprob * advantage, slope: -bounded * advantage, clipped: false, ratio };
  }
  if (ratio * advantage <= bounded * advantage) return free;
  return { loss: -bounded * advantage, slope: 0, clipped: true, ratio };
}

/** Whether position `t` counts for entropy. */
export function hasEntropy(name: LossName, row: TrainingRow, t: number): boolean {
  if (row.weights) return row.weights[t] !== 0;
  return name === 'cross_entropy' || (row.advantages?.[t] ?? 0) !== 0;
}
