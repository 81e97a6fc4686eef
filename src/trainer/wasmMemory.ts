import { RetoolError } from '../lib/errors';

type Pointer = number;

/** The compiled kernels. Pointers count bytes, sizes and strides count floats; the kernels' sources say more. */
export interface Kernels {
  heapStart(): Pointer;
  isFused(): number;
  packColumns(b: Pointer, stride: number, packed: Pointer, depth: number, columns: number): void;
  packRows(b: Pointer, stride: number, packed: Pointer, depth: number, columns: number): void;
  transpose(from: Pointer, stride: number, to: Pointer, toStride: number, rows: number, columns: number): void;
  // biome-ignore format: one line per operand
  multiply(
    a: Pointer, strideA: number, packed: Pointer, c: Pointer, strideC: number,
    rows: number, depth: number, columns: number, accumulate: boolean,
  ): void;
  normalize(x: Pointer, y: Pointer, inverse: Pointer, rows: number, width: number): void;
  normalizeBackward(y: Pointer, inverse: Pointer, dy: Pointer, dx: Pointer, rows: number, width: number): void;
  squaredRelu(x: Pointer, y: Pointer, count: number): void;
  squaredReluBackward(x: Pointer, dy: Pointer, count: number): void;
  // biome-ignore format: one line per operand
  rotate(
    x: Pointer, stride: number, positions: Pointer, angles: Pointer,
    rows: number, heads: number, size: number, sign: number,
  ): void;
  // biome-ignore format: one line per operand
  embed(
    tokens: Pointer, token: Pointer, previous: Pointer, before: Pointer, x: Pointer, rows: number, width: number,
  ): void;
  // biome-ignore format: one line per operand
  embedBackward(
    tokens: Pointer, token: Pointer, previous: Pointer, before: Pointer, dx: Pointer, rows: number, width: number,
  ): void;
  // biome-ignore format: one line per operand
  remember(
    keys: Pointer, values: Pointer, table: Pointer, offset: number, position: number, heads: number, size: number,
  ): void;
  // biome-ignore format: one line per operand
  attend(
    q: Pointer, table: Pointer, offset: number, length: number, heads: number, size: number,
    out: Pointer, scratch: Pointer,
  ): void;
  // biome-ignore format: one line per operand
  attendBackward(
    q: Pointer, table: Pointer, swapped: Pointer, length: number, heads: number, size: number,
    dout: Pointer, dq: Pointer, dk: Pointer, dv: Pointer, stride: number, scratch: Pointer,
  ): void;
  addTo(from: Pointer, to: Pointer, count: number): void;
  sumOfSquares(x: Pointer, count: number): number;
  // biome-ignore format: one line per operand
  adam(
    weights: Pointer, m: Pointer, v: Pointer, gradient: Pointer, count: number,
    scale: number, beta1: number, beta2: number, rate: number, correction: number, eps: number, kept: number,
  ): void;
  // biome-ignore format: one line per operand
  softmax(
    logits: Pointer, weights: Pointer, stride: number, statistics: Pointer,
    rows: number, count: number, sharpness: number,
  ): void;
  // biome-ignore format: one line per operand
  entropy(
    logits: Pointer, weights: Pointer, stride: number, statistics: Pointer, result: Pointer,
    rows: number, count: number,
  ): void;
  // biome-ignore format: one line per operand
  softmaxBackward(
    logits: Pointer, weights: Pointer, stride: number, statistics: Pointer, entropies: Pointer, slopes: Pointer,
    targets: Pointer, rows: number, count: number,
  ): void;
}

const pageBytes = 65536;
const alignment = 64;

/** One thread's WASM memory: the kernels, and a first-fit allocator for their few, large operands. */
export class WasmMemory {
  readonly kernels: Kernels;
  private readonly memory: WebAssembly.Memory;
  private readonly sizes = new Map<Pointer, number>();
  /** Ascending by pointer, never adjacent. */
  private holes: { pointer: Pointer; bytes: number }[] = [];
  private end: Pointer;

  constructor(module: WebAssembly.Module) {
    this.memory = new WebAssembly.Memory({ initial: 16, maximum: 65536 });
    const instance = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    this.kernels = instance.exports as unknown as Kernels;
    this.end = this.kernels.heapStart();
  }

  /** @returns a pointer to memory of any content, aligned to a cache line. */
  allocate(bytes: number): Pointer {
    const size = Math.max(alignment, Math.ceil(bytes / alignment) * alignment);
    const hole = this.holes.find((candidate) => candidate.bytes >= size);
    const pointer = hole?.pointer ?? this.end;
    if (hole) {
      hole.pointer += size;
      hole.bytes -= size;
      if (hole.bytes === 0) this.holes.splice(this.holes.indexOf(hole), 1);
    } else {
      this.grow(pointer + size);
      this.end += size;
    }
    this.sizes.set(pointer, size);
    return pointer;
  }

  free(pointer: Pointer): void {
    const bytes = this.sizes.get(pointer);
    if (bytes === undefined) return;
    this.sizes.delete(pointer);
    const index = this.holes.findIndex((hole) => hole.pointer > pointer);
    this.holes.splice(index < 0 ? this.holes.length : index, 0, { pointer, bytes });
    const merged: typeof this.holes = [];
    for (const hole of this.holes) {
      const last = merged.at(-1);
      if (last && last.pointer + last.bytes === hole.pointer) last.bytes += hole.bytes;
      else merged.push(hole);
    }
    this.holes = merged;
  }

  /** A view that the next `allocate` may detach: use it at once. */
  floats(pointer: Pointer, length: number): Float32Array {
    return new Float32Array(this.memory.buffer, pointer, length);
  }

  /** A view that the next `allocate` may detach: use it at once. */
  integers(pointer: Pointer, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, pointer, length);
  }

  private grow(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing <= 0) return;
    try {
      this.memory.grow(Math.ceil(missing / pageBytes));
    } catch (error) {
      throw new RetoolError('service', 'The local trainer ran out of memory.', {
        hint: 'Use a smaller model, a shorter context or smaller batches.',
        cause: error,
      });
    }
  }
}
