import type { ModelShape } from './engine';
import type { WasmMemory } from './wasmMemory';

const base = 1000;

/**
 * Allocates the table of rotary position embeddings (RoPE, arXiv:2104.09864) for every position of the context: per
 * position `size` cosines, each doubled, then `size` sines as (-sin, sin), where `size` is the width of a head.
 */
export function allocateRotaryAngles(memory: WasmMemory, { context, width, heads }: ModelShape): number {
  const size = width / heads;
  const pointer = memory.allocate(context * size * 2 * 4);
  const table = memory.floats(pointer, context * size * 2);
  for (let position = 0; position < context; position++) {
    const row = table.subarray(position * size * 2, (position + 1) * size * 2);
    for (let i = 0; i < size; i += 2) {
      const angle = position * base ** (-i / size);
      row[i] = row[i + 1] = Math.cos(angle);
      row[size + i] = -Math.sin(angle);
      row[size + i + 1] = Math.sin(angle);
    }
  }
  return pointer;
}
