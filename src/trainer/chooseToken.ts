/** Where a distribution comes from: `count` unnormalized probabilities in token order. */
export interface Choice {
  readonly weights: Float32Array;
  /** -1 is off. */
  readonly topK: number;
  /** 1 is off. */
  readonly topP: number;
}

/**
 * Draws a token by inverting the cumulative distribution.
 *
 * @param uniform in [0, 1).
 * @returns -1 when the weights are not finite.
 */
export function chooseToken({ weights, topK, topP }: Choice, uniform: number): number {
  if (topK > 0 || topP < 1) return chooseAmongBest(weights, topK, topP, uniform);
  let sum = 0;
  for (let i = 0; i < weights.length; i++) sum += weights[i]!;
  if (!Number.isFinite(sum)) return -1;
  let left = uniform * sum;
  let last = -1;
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i]!;
    if (weight === 0) continue;
    last = i;
    left -= weight;
    if (left < 0) return i;
  }
  return last;
}

/** The k best, and of those the fewest that hold `topP` of the probability; ties go to the lower token. */
function chooseAmongBest(weights: Float32Array, topK: number, topP: number, uniform: number): number {
  let sum = 0;
  for (const weight of weights) sum += weight;
  if (!Number.isFinite(sum)) return -1;
  const order = Array.from(weights.keys()).sort((a, b) => weights[b]! - weights[a]! || a - b);
  const best = topK > 0 ? order.slice(0, topK) : order;
  let kept = 0;
  let count = 0;
  while (count < best.length && (count === 0 || kept < topP * sum)) kept += weights[best[count++]!]!;
  let left = uniform * kept;
  for (let i = 0; i < count; i++) {
    left -= weights[best[i]!]!;
    if (left < 0) return best[i]!;
  }
  return best[count - 1]!;
}

/** The first of the highest. @returns -1 when none is a number. */
export function likeliestToken(logits: Float32Array): number {
  let best = -1;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) {
    if (logits[i]! > high) {
      high = logits[i]!;
      best = i;
    }
  }
  return best;
}

/**
 * Number `index` of the stream of `seed`, uniform in [0, 1). It depends on these two alone, so a token's randomness is
 * the same in whatever order tokens are computed.
 */
export function uniformAt(seed: number, index: number): number {
  const low = seed | 0;
  const high = Math.floor(seed / 4294967296) | 0;
  const a = scramble(low ^ Math.imul(index + 1, 0x9e3779b9));
  const b = scramble(a ^ high ^ Math.imul(index + 1, 0x85ebca6b));
  const c = scramble(b ^ low);
  return ((b >>> 5) * 67108864 + (c >>> 6)) / 9007199254740992;
}

/** The finalizer of MurmurHash3. */
function scramble(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
