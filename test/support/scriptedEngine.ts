import { RetoolError } from '../../src/lib/errors';
import { deriveSeed, mulberry32 } from '../../src/lib/seed';
import type { Reduction } from '../../src/services/reduction';
import type {
  AdamParameters,
  Engine,
  LossConfig,
  LossName,
  LossOutput,
  ModelShape,
  ModelState,
  SampledSequence,
  SamplingRequest,
  TrainingRow,
} from '../../src/trainer/engine';

const tinyShape: ModelShape = { vocabulary: 272, width: 16, layers: 1, heads: 4, context: 64 };

interface ScriptedModel {
  weights: Float32Array;
  gradient: Float32Array;
  momentum: Float32Array;
  step: number;
  /** Rows since the last step. */
  rows: number;
}

/**
 * An engine without a network: a unigram model whose logits are its weights. Its losses and gradients are the real ones
 * of that model, its optimizer is plain descent with a step count, so what goes over the wire can be checked by numbers.
 */
export class ScriptedEngine implements Engine {
  readonly shape: ModelShape;
  readonly parameters: number;
  readonly kernels = 'plain';
  /** What was asked of the engine, in order: `forwardBackward M`, `sample`. */
  readonly calls: string[] = [];
  /** While set, every call waits for it. */
  hold: Promise<void> | undefined;
  /** While `holdSamples`, a sample counts here and waits for its signal. */
  samplesHeld = 0;
  holdSamples = false;
  /** The next sample fails with this. */
  sampleFailure: Error | undefined;
  /** How losses are reduced. `meanOfMeans`: per call, over rows the mean of the means over their tokens. */
  reduction: Reduction | 'meanOfMeans' = 'sum';
  /** What the last pass was given. */
  lastRows: readonly TrainingRow[] = [];
  lastConfig: LossConfig = {};
  /** The next forward or backward pass fails with this. */
  failure: Error | undefined;
  private readonly models = new Map<string, ScriptedModel>();
  private readonly snapshots = new Map<string, Float32Array>();
  private snapshotCount = 0;
  private onFreed: (() => void) | undefined;

  constructor(shape: ModelShape = tinyShape) {
    this.shape = shape;
    this.parameters = shape.vocabulary;
  }

  get liveSnapshots(): number {
    return this.snapshots.size;
  }

  get liveModels(): number {
    return this.models.size;
  }

  async createModel(model: string, seed: number): Promise<void> {
    const random = mulberry32(seed);
    const zeros = () => new Float32Array(this.shape.vocabulary);
    const weights = zeros().map(() => random() - 0.5);
    this.models.set(model, { weights, gradient: zeros(), momentum: zeros(), step: 0, rows: 0 });
  }

  async deleteModel(model: string): Promise<void> {
    this.models.delete(model);
  }

  async forward(model: string, rows: readonly TrainingRow[], loss: LossName, config: LossConfig): Promise<LossOutput> {
    await this.enter(`forward ${loss}`);
    return this.pass(this.get(model), rows, loss, config, false);
  }

  async forwardBackward(
    model: string,
    rows: readonly TrainingRow[],
    loss: LossName,
    config: LossConfig,
  ): Promise<LossOutput> {
    await this.enter(`forwardBackward ${loss}`);
    return this.pass(this.get(model), rows, loss, config, true);
  }

  async optimStep(model: string, adam: AdamParameters): Promise<{ gradientNorm: number }> {
    await this.enter('optimStep');
    const own = this.get(model);
    if (this.reduction === 'meanOverRowsOfTokenMeans') own.gradient = own.gradient.map((value) => value / own.rows);
    own.rows = 0;
    const gradientNorm = Math.hypot(...own.gradient);
    for (const [index, value] of own.gradient.entries()) {
      own.momentum[index] = 0.5 * own.momentum[index]! + value;
      own.weights[index]! -= adam.learning_rate * own.momentum[index]!;
    }
    own.gradient.fill(0);
    own.step += 1;
    return { gradientNorm };
  }

  async exportState(model: string, optimizer: boolean): Promise<ModelState> {
    await this.enter(`exportState ${optimizer}`);
    const { weights, momentum, step } = this.get(model);
    const shape = [this.shape.vocabulary];
    const state = new Map([['model.logits', { shape, data: weights.slice() }]]);
    if (!optimizer) return state;
    state.set('adam.m.logits', { shape, data: momentum.slice() });
    state.set('adam.step', { shape: [1], data: Float32Array.of(step) });
    return state;
  }

  async importState(model: string, state: ModelState, optimizer: boolean): Promise<void> {
    await this.enter(`importState ${optimizer}`);
    const own = this.get(model);
    own.weights = tensor(state, 'model.logits').slice();
    if (!optimizer) return;
    own.momentum = tensor(state, 'adam.m.logits').slice();
    own.step = tensor(state, 'adam.step')[0]!;
  }

  async snapshot(model: string): Promise<string> {
    await this.enter('snapshot');
    return this.freeze(this.get(model).weights);
  }

  async snapshotOf(state: ModelState): Promise<string> {
    return this.freeze(tensor(state, 'model.logits'));
  }

  async releaseSnapshot(snapshot: string): Promise<void> {
    this.calls.push('releaseSnapshot');
    this.snapshots.delete(snapshot);
  }

  async sample(snapshot: string, request: SamplingRequest, signal: AbortSignal): Promise<SampledSequence> {
    await this.enter('sample');
    if (this.holdSamples) {
      this.samplesHeld += 1;
      await new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => {
          this.onFreed?.();
          reject(signal.reason);
        }),
      );
    }
    const failure = this.sampleFailure;
    this.sampleFailure = undefined;
    if (failure) throw failure;
    const weights = this.snapshots.get(snapshot)!;
    const logprobs = logSoftmax(weights);
    const tokens: number[] = [];
    const stopped = () => request.stop.some((ids) => String(tokens.slice(-ids.length)) === String(ids));
    for (let i = 0; i < request.maxTokens; i++) {
      const draw = mulberry32(deriveSeed(request.seed, i) % 2 ** 32)();
      const token = request.temperature === 0 ? argmax(weights) : pick(logprobs, draw);
      tokens.push(token);
      if (stopped()) break;
    }
    return {
      tokens: Int32Array.from(tokens),
      logprobs: Float32Array.from(tokens, (token) => logprobs[token]!),
      stopReason: stopped() ? 'stop' : 'length',
      cachedTokens: 0,
      promptLogprobs: request.promptLogprobs
        ? Float32Array.from(request.prompt, (token, index) => (index === 0 ? Number.NaN : logprobs[token]!))
        : new Float32Array(0),
    };
  }

  /** Resolves when a held sample is told to end. */
  nextFreedSample(): Promise<void> {
    return new Promise((resolve) => {
      this.onFreed = resolve;
    });
  }

  statistics(): { promptTokens: number; cachedTokens: number; sampledTokens: number } {
    return { promptTokens: 0, cachedTokens: 0, sampledTokens: 0 };
  }

  dispose(): void {
    this.models.clear();
  }

  private async enter(call: string): Promise<void> {
    this.calls.push(call);
    await this.hold;
    const failure = this.failure;
    if (!failure || !call.startsWith('forward')) return;
    this.failure = undefined;
    throw failure;
  }

  private get(model: string): ScriptedModel {
    const own = this.models.get(model);
    if (!own) throw new RetoolError('bug', `No model ${model}.`);
    return own;
  }

  private freeze(weights: Float32Array): string {
    const id = `snapshot-${this.snapshotCount++}`;
    this.snapshots.set(id, weights.slice());
    return id;
  }

  private pass(
    model: ScriptedModel,
    rows: readonly TrainingRow[],
    loss: LossName,
    config: LossConfig,
    backward: boolean,
  ): LossOutput {
    this.lastRows = rows;
    this.lastConfig = config;
    const logprobs = logSoftmax(model.weights);
    let sum = 0;
    if (backward) model.rows += rows.length;
    const shares = rowShares(rows, this.reduction);
    const elementwiseLoss = rows.map((row, index) =>
      Float32Array.from(row.targets, (target, t) => {
        const { term, slope: own } = lossTerm(logprobs[target]!, row, t, loss, config);
        const slope = own * shares[index]!;
        sum += term;
        if (!backward) return term;
        for (const [token, logprob] of logprobs.entries()) model.gradient[token]! -= slope * Math.exp(logprob);
        model.gradient[target]! += slope;
        return term;
      }),
    );
    return {
      logprobs: rows.map((row) => Float32Array.from(row.targets, (target) => logprobs[target]!)),
      elementwiseLoss,
      metrics: { 'loss:sum': sum },
    };
  }
}

/** What a row's losses are multiplied by. */
function rowShares(rows: readonly TrainingRow[], reduction: ScriptedEngine['reduction']): number[] {
  const weights = rows.map(({ weights: own, targets }) => Array.from(targets, (_, t) => own?.[t] ?? 1));
  const sums = weights.map((row) => row.reduce((sum, weight) => sum + weight, 0));
  const counts = weights.map((row) => row.filter((weight) => weight !== 0).length);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  const share: Record<ScriptedEngine['reduction'], (row: number) => number> = {
    sum: () => 1,
    meanOverRows: () => 1 / rows.length,
    meanOverTokens: () => 1 / tokens,
    meanOverRowsOfTokenMeans: (row) => 1 / sums[row]!,
    meanOfMeans: (row) => 1 / (rows.length * counts[row]!),
  };
  return rows.map((_, row) => share[reduction](row));
}

/** The loss of one token and its derivative with respect to the log-probability of the target. */
function lossTerm(lp: number, row: TrainingRow, t: number, loss: LossName, config: LossConfig) {
  if (loss === 'cross_entropy') {
    const weight = row.weights![t]!;
    return { term: -weight * lp, slope: -weight };
  }
  const advantage = row.advantages![t]!;
  const ratio = Math.exp(lp - row.logprobs![t]!);
  if (loss === 'importance_sampling') return { term: -ratio * advantage, slope: -ratio * advantage };
  const clipped = Math.min(Math.max(ratio, config.clip_low_threshold ?? 0.8), config.clip_high_threshold ?? 1.2);
  if (loss === 'cispo') return { term: -clipped * lp * advantage, slope: -clipped * advantage };
  const cut = clipped * advantage < ratio * advantage;
  return { term: -Math.min(ratio * advantage, clipped * advantage), slope: cut ? 0 : -ratio * advantage };
}

function tensor(state: ModelState, name: string): Float32Array {
  const found = state.get(name);
  if (!found) throw new RetoolError('data', `The state has no tensor ${name}.`);
  return found.data;
}

function logSoftmax(logits: Float32Array): Float64Array {
  const top = Math.max(...logits);
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
  return Float64Array.from(logits, (logit) => logit - top - Math.log(total));
}

function argmax(values: Float32Array): number {
  return values.indexOf(Math.max(...values));
}

function pick(logprobs: Float64Array, draw: number): number {
  let left = draw;
  for (const [token, logprob] of logprobs.entries()) {
    left -= Math.exp(logprob);
    if (left < 0) return token;
  }
  return logprobs.length - 1;
}
