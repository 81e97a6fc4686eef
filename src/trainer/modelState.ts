import { RetoolError } from '../lib/errors';
import type { ModelState, Tensor } from './engine';
import type { Layout } from './layout';

/** A flat array of weights, or of moments, that threads share. */
export function sharedFloats(length: number): Float32Array {
  return new Float32Array(new SharedArrayBuffer(length * 4));
}

/** Copies a flat array into named tensors. @param prefix `model`, `adam.m` or `adam.v`. */
export function toTensors(layout: Layout, prefix: string, flat: Float32Array): [string, Tensor][] {
  return layout.all.map(({ name, shape, offset, size }) => [
    `${prefix}.${name}`,
    { shape, data: new Float32Array(flat.subarray(offset, offset + size)) },
  ]);
}

/**
 * Copies named tensors into a new flat array that threads share.
 *
 * @throws RetoolError `data` naming the first tensor that is missing, of another shape or not finite.
 */
export function fromTensors(layout: Layout, prefix: string, state: ModelState): Float32Array {
  const flat = sharedFloats(layout.size);
  for (const { name, shape, offset } of layout.all) {
    flat.set(tensorOf(state, `${prefix}.${name}`, shape), offset);
  }
  return flat;
}

export function tensorOf(state: ModelState, name: string, shape: readonly number[]): Float32Array {
  const tensor = state.get(name);
  const expected = shape.join(' x ');
  if (!tensor) throw new RetoolError('data', `The tensor ${name} (${expected}) is missing.`);
  const actual = tensor.shape.join(' x ');
  const size = shape.reduce((product, side) => product * side, 1);
  if (actual !== expected || tensor.data.length !== size) {
    throw new RetoolError('data', `The tensor ${name} is ${actual} (${tensor.data.length} values), not ${expected}.`);
  }
  if (!tensor.data.every(Number.isFinite))
    throw new RetoolError('data', `The tensor ${name} has a value that is not finite.`);
  return tensor.data;
}
