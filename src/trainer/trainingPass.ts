import type { LossConfig, LossName, ModelShape, TrainingRow } from './engine';
import { forwardHead, forwardRows, logprobOf } from './forwardPass';
import { expansion, type Layout, type Parameter } from './layout';
import { hasEntropy, tokenLoss } from './losses';
import { PackedWeights, toWholePanels } from './packedWeights';
import { allocateRotaryAngles } from './rotaryAngles';
import { allocateTrainingBuffers, type TrainingBuffers, turnedStride } from './trainingBuffers';
import type { WasmMemory } from './wasmMemory';

/** What one row yields; sums are over its tokens. */
export interface RowOutput {
  readonly logprobs: Float32Array;
  readonly elementwiseLoss: Float32Array;
  readonly loss: number;
  readonly entropy: number;
  readonly entropyTokens: number;
  readonly clipped: number;
  readonly highestRatio: number;
}

/** What a shard's gradient is added to. */
export interface ShardGradient {
  readonly data: Float32Array;
  /** Whatever `data` holds counts as zero. */
  readonly isEmpty: boolean;
}

/** Tokens computed together, unless one row is longer: enough for the kernels, little enough for the caches. */
const batchTokens = 1024;

/** Losses and gradients of one model at a time, on this thread's memory. */
export class TrainingPass {
  private readonly memory: WasmMemory;
  private readonly shape: ModelShape;
  private readonly layout: Layout;
  private readonly weights: PackedWeights;
  private readonly angles: number;
  private readonly gradient: number;
  private buffers: TrainingBuffers | undefined;

  constructor(memory: WasmMemory, shape: ModelShape, layout: Layout) {
    this.memory = memory;
    this.shape = shape;
    this.layout = layout;
    this.weights = new PackedWeights(memory, shape, layout, true);
    this.angles = allocateRotaryAngles(memory, shape);
    this.gradient = memory.allocate(layout.size * 4);
  }

  load(weights: Float32Array): void {
    this.weights.load(weights);
  }

  /**
   * Losses of `rows`, in order; with `gradient`, adds theirs to it. The rows and their order alone decide how they are
   * batched, so the same call gives the same bits on any thread.
   */
  run(
    rows: readonly TrainingRow[],
    loss: LossName,
    config: LossConfig,
    gradient: ShardGradient | undefined,
  ): RowOutput[] {
    const own = () => this.memory.floats(this.gradient, this.layout.size);
    if (gradient?.isEmpty) own().fill(0);
    else if (gradient) own().set(gradient.data);
    const outputs: RowOutput[] = [];
    let batch: TrainingRow[] = [];
    let tokens = 0;
    const flush = () => {
      if (batch.length > 0) outputs.push(...this.runBatch(batch, tokens, loss, config, gradient !== undefined));
      batch = [];
      tokens = 0;
    };
    for (const row of rows) {
      if (tokens + row.tokens.length > batchTokens) flush();
      batch.push(row);
      tokens += row.tokens.length;
    }
    flush();
    gradient?.data.set(own());
    return outputs;
  }

  private runBatch(
    batch: readonly TrainingRow[],
    tokens: number,
    loss: LossName,
    config: LossConfig,
    backward: boolean,
  ): RowOutput[] {
    const buffers = this.prepare(batch, tokens);
    const { memory, shape } = this;
    forwardRows(
      memory.kernels,
      shape,
      this.weights,
      tokens,
      { ...buffers, angles: this.angles },
      buffers.layers,
      (layer) => this.attend(batch, buffers, layer),
    );
    forwardHead(memory.kernels, shape, this.weights, tokens, buffers.x, buffers.head);
    const outputs = this.measure(batch, tokens, buffers, loss, config);
    if (backward) this.backward(batch, tokens, buffers);
    return outputs;
  }

  private prepare(batch: readonly TrainingRow[], tokens: number): TrainingBuffers {
    if (!this.buffers || this.buffers.capacity < tokens) {
      if (this.buffers) this.memory.free(this.buffers.pointer);
      this.buffers = allocateTrainingBuffers(this.memory, this.shape, Math.max(tokens, batchTokens));
    }
    const { buffers, memory } = this;
    const ids = memory.integers(buffers.tokens, tokens * 3);
    const positions = memory.integers(buffers.positions, tokens);
    const targets = memory.integers(buffers.targets, tokens);
    let at = 0;
    for (const row of batch) {
      targets.set(row.targets, at);
      for (let t = 0; t < row.tokens.length; t++, at++) {
        ids[at * 3] = row.tokens[t]!;
        ids[at * 3 + 1] = row.tokens[t - 1] ?? -1;
        ids[at * 3 + 2] = row.tokens[t - 2] ?? -1;
        positions[at] = t;
      }
    }
    return buffers;
  }

  private attend(batch: readonly TrainingRow[], buffers: TrainingBuffers, layer: number): void {
    const { width, heads } = this.shape;
    const { attend } = this.memory.kernels;
    const size = width / heads;
    const { qkv, attended } = buffers.layers[layer]!;
    let start = 0;
    for (const { tokens } of batch) {
      this.remember(buffers, qkv, start, tokens.length, false);
      for (let t = 0; t < tokens.length; t++) {
        const row = start + t;
        const q = qkv + row * 12 * width;
        attend(q, buffers.table, 0, t + 1, heads, size, attended + row * 4 * width, buffers.scratch);
      }
      start += tokens.length;
    }
  }

  /** Lays out the keys and values of one row of training in blocks; `swapped` also with their roles exchanged. */
  private remember(buffers: TrainingBuffers, qkv: number, start: number, length: number, swapped: boolean): void {
    const { width, heads } = this.shape;
    const { remember } = this.memory.kernels;
    for (let t = 0; t < length; t++) {
      const keys = qkv + ((start + t) * 3 + 1) * 4 * width;
      const values = keys + 4 * width;
      remember(keys, values, buffers.table, 0, t, heads, width / heads);
      if (swapped) remember(values, keys, buffers.swappedTable, 0, t, heads, width / heads);
    }
  }

  /** Losses of the batch from its logits; leaves each token's slope and entropy bonus for `backward`. */
  private measure(
    batch: readonly TrainingRow[],
    tokens: number,
    buffers: TrainingBuffers,
    loss: LossName,
    config: LossConfig,
  ): RowOutput[] {
    const { memory, shape } = this;
    const stride = toWholePanels(shape.vocabulary);
    const { logits, weights, statistics } = buffers.head;
    memory.kernels.entropy(logits, weights, stride, statistics, buffers.entropies, tokens, shape.vocabulary);
    const logit = memory.floats(logits, tokens * stride);
    const logSum = memory.floats(statistics, tokens * 3);
    const entropies = memory.floats(buffers.entropies, tokens);
    const slopes = memory.floats(buffers.slopes, tokens * 2);
    const bonus = config.entropy_coef ?? 0;

    let at = 0;
    return batch.map((row) => {
      const length = row.tokens.length;
      const logprobs = new Float32Array(length);
      const elementwiseLoss = new Float32Array(length);
      let [sum, entropy, entropyTokens, clipped, highestRatio] = [0, 0, 0, 0, 0];
      for (let t = 0; t < length; t++, at++) {
        const logprob = logprobOf(logit[at * stride + row.targets[t]!]!, logSum[at * 3 + 2]!);
        const token = tokenLoss(loss, config, row, t, logprob);
        logprobs[t] = logprob;
        elementwiseLoss[t] = token.loss;
        slopes[at * 2] = token.slope;
        slopes[at * 2 + 1] = 0;
        sum += token.loss;
        if (token.clipped) clipped += 1;
        highestRatio = Math.max(highestRatio, token.ratio);
        if (!hasEntropy(loss, row, t)) continue;
        slopes[at * 2 + 1] = bonus;
        entropy += entropies[at]!;
        entropyTokens += 1;
      }
      return { logprobs, elementwiseLoss, loss: sum - bonus * entropy, entropy, entropyTokens, clipped, highestRatio };
    });
  }

  private backward(batch: readonly TrainingRow[], rows: number, buffers: TrainingBuffers): void {
    const { memory, shape, layout, weights } = this;
    const { kernels } = memory;
    const { vocabulary, width, heads } = shape;
    const hidden = expansion * width;
    const stride = toWholePanels(vocabulary);
    const { head, dx, dn, dqkv, dhidden } = buffers;
    const transposed = weights.transposed!;
    const { logits, statistics } = head;

    // biome-ignore format: one line per operand
    kernels.softmaxBackward(
      logits, head.weights, stride, statistics, buffers.entropies, buffers.slopes, buffers.targets, rows, vocabulary,
    );
    this.addProduct(layout.token, logits, stride, head.normalized, width, rows, buffers);
    kernels.multiply(logits, stride, transposed.head, dn, width, rows, vocabulary, width, false);
    memory.floats(dx, rows * width).fill(0);
    kernels.normalizeBackward(head.normalized, head.inverse, dn, dx, rows, width);

    for (let index = shape.layers - 1; index >= 0; index--) {
      const at = buffers.layers[index]!;
      const parameters = layout.layers[index]!;
      const packed = transposed.layers[index]!;
      kernels.squaredRelu(at.hidden, buffers.activated, rows * hidden);
      this.addProduct(parameters.down, buffers.activated, hidden, dx, width, rows, buffers);
      kernels.multiply(dx, width, packed.down, dhidden, hidden, rows, width, hidden, false);
      kernels.squaredReluBackward(at.hidden, dhidden, rows * hidden);
      this.addProduct(parameters.up, at.normalizedAgain, width, dhidden, hidden, rows, buffers);
      kernels.multiply(dhidden, hidden, packed.up, dn, width, rows, hidden, width, false);
      kernels.normalizeBackward(at.normalizedAgain, at.inverseAgain, dn, dx, rows, width);

      this.addProduct(parameters.out, at.attended, width, dx, width, rows, buffers);
      kernels.multiply(dx, width, packed.out, dn, width, rows, width, width, false);
      this.attendBackward(batch, buffers, index);
      kernels.rotate(dqkv, 3 * width, buffers.positions, this.angles, rows, 2 * heads, width / heads, -1);
      this.addProduct(parameters.qkv, at.normalized, width, dqkv, 3 * width, rows, buffers);
      kernels.multiply(dqkv, 3 * width, packed.qkv, dn, width, rows, 3 * width, width, false);
      kernels.normalizeBackward(at.normalized, at.inverse, dn, dx, rows, width);
    }
    const [token, previous, before] = [layout.token, layout.previous, layout.before].map(
      ({ offset }) => this.gradient + offset * 4,
    ) as [number, number, number];
    kernels.embedBackward(buffers.tokens, token, previous, before, dx, rows, width);
  }

  /** Gradient of a matrix += inputs^T * outputs, over the rows of the batch. */
  private addProduct(
    { offset, shape: [inputs, outputs] }: Parameter,
    input: number,
    inputStride: number,
    output: number,
    outputStride: number,
    rows: number,
    { turned, packed }: TrainingBuffers,
  ): void {
    const { kernels } = this.memory;
    const stride = turnedStride(rows);
    kernels.transpose(input, inputStride, turned, stride, rows, inputs);
    kernels.packColumns(output, outputStride, packed, rows, outputs);
    kernels.multiply(turned, stride, packed, this.gradient + offset * 4, outputs, inputs, rows, outputs, true);
  }

  /** dqkv from the gradient of `attended` in `dn`. */
  private attendBackward(batch: readonly TrainingRow[], buffers: TrainingBuffers, layer: number): void {
    const { width, heads } = this.shape;
    const { attendBackward } = this.memory.kernels;
    const { qkv } = buffers.layers[layer]!;
    const { dqkv, dn, table, swappedTable, scratch } = buffers;
    const row = 4 * width;
    let start = 0;
    for (const { tokens } of batch) {
      const length = tokens.length;
      this.memory.floats(dqkv + start * 3 * row, length * 3 * width).fill(0);
      this.remember(buffers, qkv, start, length, true);
      const dk = dqkv + start * 3 * row + row;
      for (let t = 0; t < length; t++) {
        const at = start + t;
        // biome-ignore format: one line per operand
        attendBackward(
          qkv + at * 3 * row, table, swappedTable, t + 1, heads, width / heads,
          dn + at * row, dqkv + at * 3 * row, dk, dk + row, 3 * width, scratch,
        );
      }
      start += length;
    }
  }
}
