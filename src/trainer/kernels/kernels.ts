export { attend, attendBackward, remember } from './attention';
export { multiply, packColumns, packRows, transpose } from './gemm';
export { isFused } from './multiplyAdd';
export { adam, sumOfSquares } from './optimizer';
export { addTo, embed, embedBackward, normalize, normalizeBackward, rotate, squaredRelu, squaredReluBackward } from './rows';
export { entropy, softmax, softmaxBackward } from './softmax';

/** First byte that the caller may use. */
export function heapStart(): usize {
  return (__heap_base + 63) & ~63;
}
