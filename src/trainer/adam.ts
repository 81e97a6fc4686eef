import type { AdamParameters } from './engine';
import type { WasmMemory } from './wasmMemory';

/** One model's optimizer state; every array has the length of the weights. */
export interface AdamState {
  readonly weights: Float32Array;
  /** First and second moments. */
  readonly m: Float32Array;
  readonly v: Float32Array;
}

/** Floats that are brought into the kernels' memory at a time: all operands fit the first-level cache. */
const piece = 2048;

/** Adam on shared arrays, piece by piece through this thread's memory. */
export class AdamOptimizer {
  private readonly memory: WasmMemory;
  /** The whole gradient. */
  private readonly gradient: number;
  /** Room for a piece of each other operand: weights, m, v. */
  private readonly places: readonly [number, number, number];

  /** @param size of the weights, in floats. */
  constructor(memory: WasmMemory, size: number) {
    this.memory = memory;
    this.gradient = memory.allocate(size * 4);
    const place = () => memory.allocate(piece * 4);
    this.places = [place(), place(), place()];
  }

  /**
   * Adam with bias correction (arXiv:1412.6980) and decoupled decay (arXiv:1711.05101), after clipping the gradient to
   * a global norm. Nothing changes when the gradient is not finite.
   *
   * @param shards partial gradients, added in this order.
   * @param step the number of this step, from 1.
   * @returns the norm before clipping.
   */
  step(state: AdamState, shards: readonly Float32Array[], adam: AdamParameters, step: number): number {
    const norm = Math.sqrt(this.addUp(shards, state.weights.length));
    if (Number.isFinite(norm)) {
      const limit = adam.grad_clip_norm;
      this.update(state, adam, step, limit > 0 && norm > limit ? limit / norm : 1);
    }
    return norm;
  }

  /** @returns the sum of the gradient's squares. */
  private addUp(shards: readonly Float32Array[], size: number): number {
    const { kernels } = this.memory;
    const [place] = this.places;
    let squares = 0;
    for (let start = 0; start < size; start += piece) {
      const end = Math.min(size, start + piece);
      const sum = this.gradient + start * 4;
      this.memory.floats(sum, end - start).fill(0);
      for (const shard of shards) {
        this.bring(place, shard, start, end);
        kernels.addTo(place, sum, end - start);
      }
      squares += kernels.sumOfSquares(sum, end - start);
    }
    return squares;
  }

  private update(state: AdamState, adam: AdamParameters, step: number, scale: number): void {
    const { learning_rate, beta1, beta2, eps, weight_decay } = adam;
    const rate = learning_rate / (1 - beta1 ** step);
    const correction = 1 / (1 - beta2 ** step);
    const kept = 1 - learning_rate * weight_decay;
    const { places } = this;
    const size = state.weights.length;
    const arrays = [state.weights, state.m, state.v];
    for (let start = 0; start < size; start += piece) {
      const end = Math.min(size, start + piece);
      for (const [i, array] of arrays.entries()) this.bring(places[i]!, array, start, end);
      const [weights, m, v] = places;
      const count = end - start;
      this.memory.kernels.adam(
        weights,
        m,
        v,
        this.gradient + start * 4,
        count,
        scale,
        beta1,
        beta2,
        rate,
        correction,
        eps,
        kept,
      );
      for (const [i, array] of arrays.entries()) array.set(this.memory.floats(places[i]!, count), start);
    }
  }

  private bring(place: number, from: Float32Array, start: number, end: number): void {
    this.memory.floats(place, end - start).set(from.subarray(start, end));
  }
}
