import type { ModelShape } from './engine';
import {
  blockBytes,
  blockPositions,
  forwardHead,
  forwardRows,
  type HeadBuffers,
  type LayerBuffers,
  type RowBuffers,
} from './forwardPass';
import { expansion } from './layout';
import { type PackedWeights, toWholePanels } from './packedWeights';
import { allocateRotaryAngles } from './rotaryAngles';
import type { WasmMemory } from './wasmMemory';

/** Rows computed together: their activations and their share of the weights stay in the second-level cache. */
export const stepRows = 128;

/** One token to compute: its keys and values go to `blocks`, which must hold those of all positions before it. */
export interface StepRow {
  readonly tokens: Int32Array;
  readonly position: number;
  readonly blocks: readonly number[];
  readonly wantsLogits: boolean;
}

/** Logits and distribution of a row, valid until the next step. */
export interface Distribution {
  readonly logits: Float32Array;
  /** Unnormalized probabilities at temperature 1. */
  readonly weights: Float32Array;
  readonly logSum: number;
}

/** Computes tokens of many sequences together, prompt or continuation alike, over cached keys and values. */
export class Decoder {
  private readonly memory: WasmMemory;
  private readonly shape: ModelShape;
  private readonly rows: RowBuffers;
  private readonly layer: LayerBuffers;
  private readonly head: HeadBuffers;
  private readonly tables: number;
  private readonly scratch: number;
  private readonly tempered: number;

  constructor(memory: WasmMemory, shape: ModelShape) {
    this.memory = memory;
    this.shape = shape;
    const { vocabulary, width } = shape;
    const perRow = (floats: number) => memory.allocate(stepRows * floats * 4);
    this.rows = {
      tokens: perRow(3),
      positions: perRow(1),
      angles: allocateRotaryAngles(memory, shape),
      x: perRow(width),
      activated: perRow(expansion * width),
    };
    this.layer = {
      normalized: perRow(width),
      inverse: perRow(1),
      qkv: perRow(3 * width),
      attended: perRow(width),
      normalizedAgain: perRow(width),
      inverseAgain: perRow(1),
      hidden: perRow(expansion * width),
    };
    this.head = {
      normalized: perRow(width),
      inverse: perRow(1),
      logits: perRow(toWholePanels(vocabulary)),
      weights: perRow(toWholePanels(vocabulary)),
      statistics: perRow(3),
    };
    this.tables = perRow(this.tableLength());
    this.scratch = memory.allocate(shape.heads * this.tableLength() * blockPositions * 4);
    this.tempered = memory.allocate(toWholePanels(vocabulary) * 4);
  }

  /** Computes up to `stepRows` rows. Positions of one sequence ascend; `read` sees the rows that want logits, in order. */
  step<R extends StepRow>(
    weights: PackedWeights,
    rows: readonly R[],
    read: (row: R, result: Distribution) => void,
  ): void {
    const { memory, shape } = this;
    this.prepare(rows);
    const layers = Array<LayerBuffers>(shape.layers).fill(this.layer);
    forwardRows(memory.kernels, shape, weights, rows.length, this.rows, layers, (layer) => this.attend(rows, layer));

    const wanted = rows.filter((row) => row.wantsLogits);
    if (wanted.length === 0) return;
    const { width, vocabulary } = shape;
    const x = memory.floats(this.rows.x, rows.length * width);
    let to = 0;
    for (const [from, row] of rows.entries()) {
      if (row.wantsLogits) x.copyWithin(to++ * width, from * width, (from + 1) * width);
    }
    forwardHead(memory.kernels, shape, weights, wanted.length, this.rows.x, this.head);
    const stride = toWholePanels(vocabulary);
    for (const [index, row] of wanted.entries()) {
      read(row, {
        logits: memory.floats(this.head.logits + index * stride * 4, vocabulary),
        weights: memory.floats(this.head.weights + index * stride * 4, vocabulary),
        logSum: memory.floats(this.head.statistics + index * 12, 3)[2]!,
      });
    }
  }

  /** Unnormalized probabilities at a temperature, valid until the next call. */
  temper(logits: Float32Array, temperature: number): Float32Array {
    const { memory, shape } = this;
    const stride = toWholePanels(shape.vocabulary);
    const statistics = this.scratch;
    memory.kernels.softmax(logits.byteOffset, this.tempered, stride, statistics, 1, shape.vocabulary, 1 / temperature);
    return memory.floats(this.tempered, shape.vocabulary);
  }

  private tableLength(): number {
    return Math.ceil(this.shape.context / blockPositions);
  }

  private prepare(rows: readonly StepRow[]): void {
    const { memory } = this;
    const ids = memory.integers(this.rows.tokens, rows.length * 3);
    const positions = memory.integers(this.rows.positions, rows.length);
    const tables = memory.integers(this.tables, rows.length * this.tableLength());
    for (const [index, { tokens, position, blocks }] of rows.entries()) {
      ids[index * 3] = tokens[position]!;
      ids[index * 3 + 1] = position > 0 ? tokens[position - 1]! : -1;
      ids[index * 3 + 2] = position > 1 ? tokens[position - 2]! : -1;
      positions[index] = position;
      const used = position >> 4;
      const table = index * this.tableLength();
      for (let block = 0; block <= used; block++) tables[table + block] = blocks[block]!;
    }
  }

  /** All rows' keys are stored before any row attends, since rows of one sequence may share the step. */
  private attend(rows: readonly StepRow[], layer: number): void {
    const { width, heads } = this.shape;
    const { remember, attend } = this.memory.kernels;
    const { qkv, attended } = this.layer;
    const size = width / heads;
    const offset = layer * blockBytes(this.shape);
    const tableBytes = this.tableLength() * 4;
    for (let index = 0; index < rows.length; index++) {
      const keys = qkv + (index * 3 + 1) * 4 * width;
      const table = this.tables + index * tableBytes;
      remember(keys, keys + 4 * width, table, offset, rows[index]!.position, heads, size);
    }
    for (let index = 0; index < rows.length; index++) {
      const q = qkv + index * 12 * width;
      const out = attended + index * 4 * width;
      const table = this.tables + index * tableBytes;
      attend(q, table, offset, rows[index]!.position + 1, heads, size, out, this.scratch);
    }
  }
}
