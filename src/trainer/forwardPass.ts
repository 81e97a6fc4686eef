import type { ModelShape } from './engine';
import { expansion } from './layout';
import { type PackedWeights, toWholePanels } from './packedWeights';
import type { Kernels } from './wasmMemory';

/** Positions of a sequence that share a block of keys and values. */
export const blockPositions = 16;

/** Bytes of a block of keys and values, per layer. */
export const blockBytes = ({ width }: ModelShape) => 2 * blockPositions * width * 4;

/** Rows that are computed together. Pointers; the sizes are per row. */
export interface RowBuffers {
  /** Three ids: the token and the two before it, -1 where there is none. */
  readonly tokens: number;
  readonly positions: number;
  readonly angles: number;
  /** (width) The residual stream. */
  readonly x: number;
  /** (4 width) */
  readonly activated: number;
}

/** What a layer computes, kept for the gradient. Pointers; the sizes are per row. */
export interface LayerBuffers {
  /** (width) */
  readonly normalized: number;
  /** (1) */
  readonly inverse: number;
  /** (3 width) Queries and keys rotated, values. */
  readonly qkv: number;
  /** (width) */
  readonly attended: number;
  /** (width) */
  readonly normalizedAgain: number;
  /** (1) */
  readonly inverseAgain: number;
  /** (4 width) Before the activation. */
  readonly hidden: number;
}

/** Pointers; the sizes are per row. */
export interface HeadBuffers {
  /** (width) */
  readonly normalized: number;
  /** (1) */
  readonly inverse: number;
  /** (vocabulary in whole panels) */
  readonly logits: number;
  /** (vocabulary in whole panels) Unnormalized probabilities. */
  readonly weights: number;
  /** (3) Max of the logits, sum of the weights, log of the sum of e^logit. */
  readonly statistics: number;
}

/**
 * Embeds `rows` rows and runs them through the layers. Training, prefill and decoding all come through here.
 *
 * @param attention fills `attended` of a layer's rows from their `qkv`.
 */
export function forwardRows(
  kernels: Kernels,
  shape: ModelShape,
  weights: PackedWeights,
  rows: number,
  io: RowBuffers,
  layers: readonly LayerBuffers[],
  attention: (layer: number) => void,
): void {
  const { width, heads } = shape;
  const hidden = expansion * width;
  kernels.embed(io.tokens, weights.token, weights.previous, weights.before, io.x, rows, width);
  for (const [index, packed] of weights.layers.entries()) {
    const at = layers[index]!;
    kernels.normalize(io.x, at.normalized, at.inverse, rows, width);
    kernels.multiply(at.normalized, width, packed.qkv, at.qkv, 3 * width, rows, width, 3 * width, false);
    kernels.rotate(at.qkv, 3 * width, io.positions, io.angles, rows, 2 * heads, width / heads, 1);
    attention(index);
    kernels.multiply(at.attended, width, packed.out, io.x, width, rows, width, width, true);

    kernels.normalize(io.x, at.normalizedAgain, at.inverseAgain, rows, width);
    kernels.multiply(at.normalizedAgain, width, packed.up, at.hidden, hidden, rows, width, hidden, false);
    kernels.squaredRelu(at.hidden, io.activated, rows * hidden);
    kernels.multiply(io.activated, hidden, packed.down, io.x, width, rows, hidden, width, true);
  }
}

/** Logits and distributions of `rows` rows of the residual stream. */
export function forwardHead(
  kernels: Kernels,
  { vocabulary, width }: ModelShape,
  weights: PackedWeights,
  rows: number,
  x: number,
  head: HeadBuffers,
): void {
  const stride = toWholePanels(vocabulary);
  kernels.normalize(x, head.normalized, head.inverse, rows, width);
  kernels.multiply(head.normalized, width, weights.head, head.logits, stride, rows, width, vocabulary, false);
  kernels.softmax(head.logits, head.weights, stride, head.statistics, rows, vocabulary, 1);
}

/** Log-probability of a token, in nats: the one formula for training and sampling. */
export function logprobOf(logit: number, logSum: number): number {
  return Math.fround(logit - logSum);
}
