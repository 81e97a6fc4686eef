import type { AdamParameters } from './engine';

/** One model's optimizer state; every array has the length of the weights. */
export interface AdamState {
  readonly weights: Float32Array;
  /** First and second moments. */
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/**
 * Adam with bias correction (arXiv:1412.6980) and decoupled decay (arXiv:1711.05101), after clipping the gradient to a
 * global norm. Nothing changes when the gradient is not finite.
 *
 * @param shards partial gradients, added in this order and then set to zero.
 * @param step the number of this step, from 1.
 * @returns the norm before clipping.
 */
export function adamStep(
  state: AdamState,
  shards: readonly Float32Array[],
  adam: AdamParameters,
  step: number,
): number {
  const [gradient, ...others] = shards as [Float32Array, ...Float32Array[]];
  for (const shard of others) {
    for (let i = 0; i < gradient.length; i++) gradient[i]! += shard[i]!;
  }
  let squares = 0;
  for (let i = 0; i < gradient.length; i++) squares += gradient[i]! * gradient[i]!;
  const norm = Math.sqrt(squares);
  if (Number.isFinite(norm)) {
    const limit = adam.grad_clip_norm;
    update(state, gradient, adam, step, limit > 0 && norm > limit ? limit / norm : 1);
  }
  for (const shard of shards) shard.fill(0);
  return norm;
}

function update(
  { weights, m, v }: AdamState,
  gradient: Float32Array,
  adam: AdamParameters,
  step: number,
  scale: number,
) {
  const { beta1, beta2, eps, learning_rate: rate } = adam;
  const rate1 = rate / (1 - beta1 ** step);
  const correction2 = 1 / (1 - beta2 ** step);
  const kept = 1 - rate * adam.weight_decay;
  for (let i = 0; i < weights.length; i++) {
    const g = gradient[i]! * scale;
    const first = beta1 * m[i]! + (1 - beta1) * g;
    const second = beta2 * v[i]! + (1 - beta2) * g * g;
    m[i] = first;
    v[i] = second;
    weights[i] = weights[i]! * kept - (rate1 * first) / (Math.sqrt(second * correction2) + eps);
  }
}
