import { RetoolError } from '../lib/errors';
import type { KernelKind } from '../schema/trainerProcess';
import { checkAdam, checkRows, checkSampling, checkShape } from './checkRequests';
import { ComputeWorker } from './computeWorker';
import type {
  AdamParameters,
  Engine,
  EngineAssets,
  LossConfig,
  LossName,
  LossOutput,
  ModelShape,
  ModelState,
  SampledSequence,
  SamplingRequest,
  TrainingRow,
} from './engine';
import { assignShards } from './gradientShards';
import { IdleWorkers } from './idleWorkers';
import { compileKernels, kindOf } from './kernelBuilds';
import { type Layout, modelLayout } from './layout';
import { fromTensors } from './modelState';
import { SamplingRouter } from './samplingRouter';
import { TrainedModel } from './trainedModel';
import type { RowOutput } from './trainingPass';

export interface EngineOptions {
  readonly threads: number;
  readonly assets: EngineAssets;
  /** Room for keys and values, in bytes per thread; 256 MiB unless given. */
  readonly cacheBytes?: number;
}

/** Starts the compute threads; disposing the engine ends them. */
export async function createEngine(shape: ModelShape, options: EngineOptions): Promise<Engine> {
  checkShape(shape);
  const { threads, assets, cacheBytes = 256 * 2 ** 20 } = options;
  try {
    const kernels = await compileKernels(assets.kernels);
    const setup = { kernels, shape, cacheBytes };
    return new ThreadedEngine(
      shape,
      kindOf(kernels),
      Array.from({ length: threads }, () => new ComputeWorker(assets.computeScript, setup)),
    );
  } catch (error) {
    throw RetoolError.from('service', 'The local trainer could not start', error);
  }
}

class ThreadedEngine implements Engine {
  readonly shape: ModelShape;
  readonly kernels: KernelKind;
  private readonly layout: Layout;
  private readonly workers: readonly ComputeWorker[];
  private readonly training: IdleWorkers;
  private readonly router: SamplingRouter;
  private readonly models = new Map<string, TrainedModel>();
  private readonly snapshots = new Map<string, Float32Array>();
  private readonly totals = { promptTokens: 0, cachedTokens: 0, sampledTokens: 0 };
  private created = 0;

  constructor(shape: ModelShape, kernels: KernelKind, workers: readonly ComputeWorker[]) {
    this.shape = shape;
    this.kernels = kernels;
    this.layout = modelLayout(shape);
    this.workers = workers;
    this.training = new IdleWorkers(workers);
    this.router = new SamplingRouter(workers.length);
  }

  get parameters(): number {
    return this.layout.size;
  }

  async createModel(model: string, seed: number): Promise<void> {
    if (this.models.has(model)) throw new RetoolError('data', `A model named ${model} exists already.`);
    this.created += 1;
    this.models.set(model, new TrainedModel(`model-${this.created}`, this.layout, seed));
  }

  async deleteModel(model: string): Promise<void> {
    this.modelOf(model);
    this.models.delete(model);
  }

  forward(model: string, rows: readonly TrainingRow[], loss: LossName, config: LossConfig): Promise<LossOutput> {
    return this.measure(model, rows, loss, config, false);
  }

  forwardBackward(
    model: string,
    rows: readonly TrainingRow[],
    loss: LossName,
    config: LossConfig,
  ): Promise<LossOutput> {
    return this.measure(model, rows, loss, config, true);
  }

  async optimStep(model: string, adam: AdamParameters): Promise<{ gradientNorm: number }> {
    checkAdam(adam);
    const target = this.modelOf(model);
    return target.inOrder(async () => {
      const { weights, m, v } = target;
      const shards = target.takeShards();
      const step = target.step + 1;
      const call = { kind: 'optimize', weights, m, v, shards, adam, step } as const;
      const gradientNorm = await this.training.run<number>(call);
      if (!Number.isFinite(gradientNorm)) {
        throw new RetoolError('data', 'The gradient is not finite, so the optimizer took no step.', {
          hint: 'Lower the learning rate or clip the gradient, and go on from an earlier checkpoint.',
        });
      }
      target.step = step;
      target.revise();
      return { gradientNorm };
    });
  }

  async exportState(model: string, optimizer: boolean): Promise<ModelState> {
    const source = this.modelOf(model);
    return source.inOrder(() => source.export(optimizer));
  }

  async importState(model: string, state: ModelState, optimizer: boolean): Promise<void> {
    const target = this.modelOf(model);
    return target.inOrder(() => target.import(state, optimizer));
  }

  async snapshot(model: string): Promise<string> {
    const source = this.modelOf(model);
    return source.inOrder(() => this.snapshotOf(source.export(false)));
  }

  async snapshotOf(state: ModelState): Promise<string> {
    const weights = fromTensors(this.layout, 'model', state);
    this.created += 1;
    const snapshot = `snapshot-${this.created}`;
    this.snapshots.set(snapshot, weights);
    return snapshot;
  }

  async releaseSnapshot(snapshot: string): Promise<void> {
    this.weightsOf(snapshot);
    this.snapshots.delete(snapshot);
    this.router.forget(snapshot);
    for (const worker of this.workers) worker.release(snapshot);
  }

  async sample(snapshot: string, request: SamplingRequest, signal: AbortSignal): Promise<SampledSequence> {
    const weights = this.weightsOf(snapshot);
    checkSampling(this.shape, request);
    signal.throwIfAborted();
    const { prompt } = request;
    const thread = this.router.enter(snapshot, prompt);
    let whole: Int32Array | undefined;
    try {
      const call = { kind: 'sample', snapshot, weights, request } as const;
      const result = await this.workers[thread]!.call<SampledSequence>(call, signal);
      whole = new Int32Array([...prompt, ...result.tokens]);
      this.totals.promptTokens += prompt.length;
      this.totals.cachedTokens += result.cachedTokens;
      this.totals.sampledTokens += result.tokens.length;
      return result;
    } finally {
      this.router.leave(thread, snapshot, this.snapshots.has(snapshot) ? whole : undefined);
    }
  }

  statistics(): { promptTokens: number; cachedTokens: number; sampledTokens: number } {
    return { ...this.totals };
  }

  dispose(): void {
    for (const worker of this.workers) worker.dispose();
  }

  private async measure(
    model: string,
    rows: readonly TrainingRow[],
    loss: LossName,
    config: LossConfig,
    backward: boolean,
  ): Promise<LossOutput> {
    checkRows(this.shape, rows, loss, config);
    const target = this.modelOf(model);
    return target.inOrder(async () => {
      const { weights, version } = target;
      const outputs = new Array<RowOutput>(rows.length);
      const assigned = assignShards(rows.map((row) => row.tokens.length));
      const settled = await Promise.allSettled(
        assigned.map(async (indices, shard) => {
          if (indices.length === 0) return;
          const part = indices.map((index) => rows[index]!);
          const gradient = backward ? target.openShard(shard) : undefined;
          const call = { kind: 'train', version, weights, gradient, rows: part, loss, config } as const;
          const results = await this.training.run<RowOutput[]>(call);
          for (const [i, index] of indices.entries()) outputs[index] = results[i]!;
        }),
      );
      const failed = settled.find((part) => part.status === 'rejected');
      if (failed) throw failed.reason;
      return toLossOutput(outputs, loss);
    });
  }

  private modelOf(name: string): TrainedModel {
    const model = this.models.get(name);
    if (!model) throw new RetoolError('data', `There is no model named ${name}.`);
    return model;
  }

  private weightsOf(snapshot: string): Float32Array {
    const weights = this.snapshots.get(snapshot);
    if (!weights) throw new RetoolError('data', `There is no snapshot named ${snapshot}, or it was released.`);
    return weights;
  }
}

/** Sums in the order of the rows, whichever thread they came from. */
function toLossOutput(outputs: readonly RowOutput[], loss: LossName): LossOutput {
  const sum = (key: 'loss' | 'entropy' | 'entropyTokens' | 'clipped') =>
    outputs.reduce((total, output) => total + output[key], 0);
  const metrics: Record<string, number> = {
    'loss:sum': sum('loss'),
    'entropy:sum': sum('entropy'),
    'tokens:sum': sum('entropyTokens'),
  };
  if (loss !== 'cross_entropy') {
    metrics['clipped:sum'] = sum('clipped');
    metrics['ratio:max'] = outputs.reduce((high, output) => Math.max(high, output.highestRatio), 0);
  }
  return {
    logprobs: outputs.map((output) => output.logprobs),
    elementwiseLoss: outputs.map((output) => output.elementwiseLoss),
    metrics,
  };
}
