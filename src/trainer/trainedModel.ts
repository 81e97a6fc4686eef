import type { ModelState } from './engine';
import { gradientShards } from './gradientShards';
import { initializeWeights, type Layout } from './layout';
import { fromTensors, sharedFloats, tensorOf, toTensors } from './modelState';
import type { ShardGradient } from './trainingPass';

/** One model in training: weights, gradient and optimizer state in memory that the threads share. */
export class TrainedModel {
  weights: Float32Array;
  m: Float32Array;
  v: Float32Array;
  /** One gradient per shard, summed over the calls since the last optimizer step. */
  private readonly shards: readonly Float32Array[];
  private readonly isEmpty = Array<boolean>(gradientShards).fill(true);
  /** Optimizer steps taken. */
  step = 0;
  private readonly layout: Layout;
  private readonly name: string;
  private revision = 0;
  private last: Promise<unknown> = Promise.resolve();

  /** @param name unique over the engine's life. */
  constructor(name: string, layout: Layout, seed: number) {
    this.name = name;
    this.layout = layout;
    this.weights = sharedFloats(layout.size);
    this.m = sharedFloats(layout.size);
    this.v = sharedFloats(layout.size);
    this.shards = Array.from({ length: gradientShards }, () => sharedFloats(layout.size));
    initializeWeights(layout, seed, this.weights);
  }

  /** Names the present content of the weights. */
  get version(): string {
    return `${this.name}:${this.revision}`;
  }

  /** Runs the model's operations one after the other, as they were called; one that failed holds up none. */
  inOrder<T>(operation: () => Promise<T> | T): Promise<T> {
    const result = this.last.then(operation);
    this.last = result.catch(() => {});
    return result;
  }

  /** To be called whenever the weights have changed. */
  revise(): void {
    this.revision += 1;
  }

  /** The gradient of a shard, for work that will have added to it when it ends. */
  openShard(shard: number): ShardGradient {
    const isEmpty = this.isEmpty[shard]!;
    this.isEmpty[shard] = false;
    return { data: this.shards[shard]!, isEmpty };
  }

  /** The gradients of the shards that have any, which are empty from then on. */
  takeShards(): Float32Array[] {
    const filled = this.shards.filter((_, shard) => !this.isEmpty[shard]);
    this.isEmpty.fill(true);
    return filled;
  }

  export(optimizer: boolean): ModelState {
    const state = new Map(toTensors(this.layout, 'model', this.weights));
    if (!optimizer) return state;
    for (const [name, tensor] of toTensors(this.layout, 'adam.m', this.m)) state.set(name, tensor);
    for (const [name, tensor] of toTensors(this.layout, 'adam.v', this.v)) state.set(name, tensor);
    return state.set('adam.step', { shape: [1], data: Float32Array.of(this.step) });
  }

  /** Replaces the weights and, from the state or afresh, the optimizer; drops what gradient there is. */
  import(state: ModelState, optimizer: boolean): void {
    const { layout } = this;
    const weights = fromTensors(layout, 'model', state);
    const m = optimizer ? fromTensors(layout, 'adam.m', state) : sharedFloats(layout.size);
    const v = optimizer ? fromTensors(layout, 'adam.v', state) : sharedFloats(layout.size);
    const [step] = optimizer ? tensorOf(state, 'adam.step', [1]) : [0];
    Object.assign(this, { weights, m, v, step });
    this.takeShards();
    this.revise();
  }
}
