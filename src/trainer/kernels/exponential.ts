import { multiplyAdd } from './multiplyAdd';

const LOG2E: f32 = 1.44269504088896341;
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.12194440e-4;

/** e^x on four lanes, relative error below 2e-7; x below -87 gives about 1e-38. Coefficients as in Cephes `expf`. */
// @ts-ignore: decorator
@inline
export function exponential(x: v128): v128 {
  x = f32x4.max(f32x4.min(x, f32x4.splat(88)), f32x4.splat(-87));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(LOG2E)));
  let r = f32x4.sub(x, f32x4.mul(n, f32x4.splat(LN2_HIGH)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(LN2_LOW)));
  let p = f32x4.splat(1.9875691500e-4);
  p = multiplyAdd(p, r, f32x4.splat(1.3981999507e-3));
  p = multiplyAdd(p, r, f32x4.splat(8.3334519073e-3));
  p = multiplyAdd(p, r, f32x4.splat(4.1665795894e-2));
  p = multiplyAdd(p, r, f32x4.splat(1.6666665459e-1));
  p = multiplyAdd(p, r, f32x4.splat(5.0000001201e-1));
  p = f32x4.add(multiplyAdd(p, f32x4.mul(r, r), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
  return f32x4.mul(p, power);
}

/** Sum of the four lanes, in one fixed order. */
// @ts-ignore: decorator
@inline
export function laneSum(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

// @ts-ignore: decorator
@inline
export function laneMax(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}

/** All bits set in the lanes `first`, `first + 1`, ... that are below `count`. */
// @ts-ignore: decorator
@inline
export function lanesBelow(first: i32, count: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4.splat(first), i32x4(0, 1, 2, 3)), i32x4.splat(count));
}
