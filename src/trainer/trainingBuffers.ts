import type { ModelShape } from './engine';
import { blockBytes, blockPositions, type HeadBuffers, type LayerBuffers } from './forwardPass';
import { expansion } from './layout';
import { toWholePanels } from './packedWeights';
import type { WasmMemory } from './wasmMemory';

/** Everything a forward and backward pass over `capacity` tokens computes, in one allocation. Pointers. */
export interface TrainingBuffers {
  readonly pointer: number;
  readonly capacity: number;
  readonly tokens: number;
  readonly positions: number;
  readonly targets: number;
  readonly x: number;
  readonly activated: number;
  readonly layers: readonly LayerBuffers[];
  readonly head: HeadBuffers;
  readonly entropies: number;
  /** Per token the slope of its log-probability and its entropy bonus. */
  readonly slopes: number;
  readonly dx: number;
  readonly dn: number;
  readonly dqkv: number;
  readonly dhidden: number;
  /** A transposed operand and a packed one, of the widest product. */
  readonly turned: number;
  readonly packed: number;
  /** Block tables of one row of training: (keys, values) and (values, keys). */
  readonly table: number;
  readonly swappedTable: number;
  readonly scratch: number;
}

/** Floats between the rows of a transposed operand: an odd number of cache lines, so that rows spread over the cache. */
export const turnedStride = (tokens: number) => (Math.ceil(tokens / 16) | 1) * 16;

export function allocateTrainingBuffers(memory: WasmMemory, shape: ModelShape, capacity: number): TrainingBuffers {
  const { vocabulary, width, layers, context } = shape;
  const hidden = expansion * width;
  const logits = toWholePanels(vocabulary);
  const blocks = Math.ceil(context / blockPositions);

  // Two rounds over the same list: the first adds up the sizes, the second places them.
  const place = (start: number) => {
    let end = start;
    const bytes = (count: number) => {
      const pointer = end;
      end += Math.ceil(count / 64) * 64;
      return pointer;
    };
    const perToken = (floats: number) => bytes(capacity * floats * 4);
    const buffers: TrainingBuffers = {
      pointer: start,
      capacity,
      tokens: perToken(3),
      positions: perToken(1),
      targets: perToken(1),
      x: perToken(width),
      activated: perToken(hidden),
      layers: Array.from({ length: layers }, () => ({
        normalized: perToken(width),
        inverse: perToken(1),
        qkv: perToken(3 * width),
        attended: perToken(width),
        normalizedAgain: perToken(width),
        inverseAgain: perToken(1),
        hidden: perToken(hidden),
      })),
      head: {
        normalized: perToken(width),
        inverse: perToken(1),
        logits: perToken(logits),
        weights: perToken(logits),
        statistics: perToken(3),
      },
      entropies: perToken(1),
      slopes: perToken(2),
      dx: perToken(width),
      dn: perToken(width),
      dqkv: perToken(3 * width),
      dhidden: perToken(hidden),
      turned: bytes(turnedStride(capacity) * Math.max(hidden, logits) * 4),
      packed: perToken(hidden),
      table: bytes(blocks * 4),
      swappedTable: bytes(blocks * 4),
      scratch: bytes(2 * shape.heads * blocks * blockPositions * 4),
    };
    return { buffers, keys: bytes(blocks * blockBytes(shape)), values: bytes(blocks * blockBytes(shape)), end };
  };

  const size = place(0).end;
  const { buffers, keys, values } = place(memory.allocate(size));
  for (const [table, first] of [
    [buffers.table, keys],
    [buffers.swappedTable, values],
  ] as const) {
    memory.integers(table, blocks).set(Array.from({ length: blocks }, (_, i) => first + i * blockBytes(shape)));
  }
  return buffers;
}
