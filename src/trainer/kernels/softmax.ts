// Distributions over the vocabulary. Rows of logits and weights are `stride` floats apart, a multiple of 4 that covers
// `count`; what lies past `count` is ignored.
import { exponential, laneMax, laneSum, lanesBelow } from './exponential';

/**
 * weights = exp((logits - max) * sharpness), not normalized.
 *
 * @param statistics receives per row: max of the logits, sum of the weights, max + log(sum).
 */
export function softmax(
  logits: usize, weights: usize, stride: i32, statistics: usize, rows: i32, count: i32, sharpness: f32,
): void {
  const step = (<usize>stride) << 2;
  const lowest = f32x4.splat(-f32.MAX_VALUE);
  const factor = f32x4.splat(sharpness);
  for (let row = 0; row < rows; row++) {
    let highs = lowest;
    for (let j = 0; j < count; j += 4) {
      const v = v128.load(logits + ((<usize>j) << 2));
      highs = f32x4.max(highs, j + 4 <= count ? v : v128.bitselect(v, lowest, lanesBelow(j, count)));
    }
    const high = laneMax(highs);
    const shift = f32x4.splat(high);
    let sums = f32x4.splat(0);
    for (let j = 0; j < count; j += 4) {
      let w = exponential(f32x4.mul(f32x4.sub(v128.load(logits + ((<usize>j) << 2)), shift), factor));
      if (j + 4 > count) w = v128.and(w, lanesBelow(j, count));
      v128.store(weights + ((<usize>j) << 2), w);
      sums = f32x4.add(sums, w);
    }
    const sum = laneSum(sums);
    store<f32>(statistics, high);
    store<f32>(statistics, sum, 4);
    store<f32>(statistics, high + <f32>NativeMath.log(<f64>sum), 8);
    statistics += 12;
    logits += step;
    weights += step;
  }
}

/** Entropy of each row in nats, from the results of `softmax` with sharpness 1. */
export function entropy(
  logits: usize, weights: usize, stride: i32, statistics: usize, result: usize, rows: i32, count: i32,
): void {
  const step = (<usize>stride) << 2;
  for (let row = 0; row < rows; row++) {
    const total = load<f32>(statistics, 8);
    const shift = f32x4.splat(total);
    let sums = f32x4.splat(0);
    for (let j = 0; j < count; j += 4) {
      const v = f32x4.sub(v128.load(logits + ((<usize>j) << 2)), shift);
      let term = f32x4.mul(v128.load(weights + ((<usize>j) << 2)), v);
      if (j + 4 > count) term = v128.and(term, lanesBelow(j, count));
      sums = f32x4.sub(sums, term);
    }
    store<f32>(result, laneSum(sums) / load<f32>(statistics, 4));
    result += 4;
    statistics += 12;
    logits += step;
    weights += step;
  }
}

/**
 * Turns logits into the gradient of `sum(slope * logprob[target]) - sum(bonus * entropy)`.
 *
 * @param slopes two floats per row: slope, bonus. Lanes past `count` become zero.
 */
export function softmaxBackward(
  logits: usize, weights: usize, stride: i32, statistics: usize, entropies: usize, slopes: usize, targets: usize,
  rows: i32, count: i32,
): void {
  const step = (<usize>stride) << 2;
  for (let row = 0; row < rows; row++) {
    const slope = load<f32>(slopes);
    const bonus = load<f32>(slopes, 4);
    if (slope == 0 && bonus == 0) {
      memory.fill(logits, 0, step);
    } else {
      const scale = f32x4.splat(1 / load<f32>(statistics, 4));
      const shift = f32x4.splat(load<f32>(entropies) - load<f32>(statistics, 8));
      const slope4 = f32x4.splat(slope);
      const bonus4 = f32x4.splat(bonus);
      for (let j = 0; j < stride; j += 4) {
        const at = logits + ((<usize>j) << 2);
        const p = f32x4.mul(v128.load(weights + ((<usize>j) << 2)), scale);
        const pull = f32x4.sub(f32x4.mul(bonus4, f32x4.add(v128.load(at), shift)), slope4);
        let d = f32x4.mul(p, pull);
        if (j + 4 > count) d = v128.and(d, lanesBelow(j, count));
        v128.store(at, d);
      }
      const at = logits + ((<usize>load<i32>(targets)) << 2);
      store<f32>(at, load<f32>(at) + slope);
    }
    statistics += 12;
    entropies += 4;
    slopes += 8;
    targets += 4;
    logits += step;
    weights += step;
  }
}
