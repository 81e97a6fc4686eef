/** 1 + 2^-12, whose square needs one bit more than a float32 has. In memory, where no compiler computes with it. */
const sample: usize = memory.data<f32>([1.000244140625]);

/**
 * a * b + c on four lanes: rounded once where the build has relaxed SIMD and the processor fused arithmetic, else twice.
 * Sums of products are all made of this, so that a row's bits do not depend on which of the loops computed it.
 */
// @ts-ignore: decorator
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f32x4.relaxed_madd(a, b, c);
  return f32x4.add(c, f32x4.mul(a, b));
}

/** Whether `multiplyAdd` rounds once here, found by computing. */
export function isFused(): bool {
  const x = v128.load32_splat(sample);
  const square = multiplyAdd(x, x, f32x4.splat(-1));
  return f32x4.extract_lane(square, 0) != 0.00048828125;
}
