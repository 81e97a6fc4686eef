// Adam's arithmetic over `count` floats, a multiple of 4.
import { laneSum } from './exponential';
import { multiplyAdd } from './multiplyAdd';

/** Sum of squares; the caller adds up pieces in float64. */
export function sumOfSquares(x: usize, count: i32): f32 {
  let sums = f32x4.splat(0);
  for (let end = x + ((<usize>count) << 2); x < end; x += 16) {
    const v = v128.load(x);
    sums = multiplyAdd(v, v, sums);
  }
  return laneSum(sums);
}

/**
 * One step on weights and moments.
 *
 * @param scale of the gradient. @param rate over the first moment's bias correction.
 * @param correction of the second moment's bias. @param kept share of the weights that decay leaves.
 */
export function adam(
  weights: usize, m: usize, v: usize, gradient: usize, count: i32,
  scale: f32, beta1: f32, beta2: f32, rate: f32, correction: f32, eps: f32, kept: f32,
): void {
  const fresh1: f32 = 1 - beta1;
  const fresh2: f32 = 1 - beta2;
  for (let end = weights + ((<usize>count) << 2); weights < end; weights += 16) {
    const g = f32x4.mul(v128.load(gradient), f32x4.splat(scale));
    const first = multiplyAdd(g, f32x4.splat(fresh1), f32x4.mul(v128.load(m), f32x4.splat(beta1)));
    const squared = f32x4.mul(f32x4.mul(g, g), f32x4.splat(fresh2));
    const second = multiplyAdd(v128.load(v), f32x4.splat(beta2), squared);
    const root = f32x4.sqrt(f32x4.mul(second, f32x4.splat(correction)));
    const step = f32x4.div(f32x4.mul(first, f32x4.splat(rate)), f32x4.add(root, f32x4.splat(eps)));
    v128.store(m, first);
    v128.store(v, second);
    v128.store(weights, f32x4.sub(f32x4.mul(v128.load(weights), f32x4.splat(kept)), step));
    gradient += 16;
    m += 16;
    v += 16;
  }
}
