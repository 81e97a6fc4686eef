import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import { builds, loadKernels } from '../../support/localEngine';

function noise(length: number, seed: number): Float32Array {
  const random = mulberry32(seed);
  return Float32Array.from({ length }, () => random() * 2 - 1);
}

/** (rows x columns) from (columns x rows). */
function transposed(source: Float32Array, rows: number, columns: number): Float32Array {
  return source.map((_, i) => source[(i % columns) * rows + Math.floor(i / columns)]!);
}

const sizes = [
  [1, 1, 1],
  [4, 8, 8],
  [5, 7, 9],
  [3, 96, 270],
  [130, 33, 24],
  [17, 1100, 13],
] as const;

const loaded = await Promise.all(
  builds.map(async ({ build, assets }) => ({ build, memory: await loadKernels(assets) })),
);

describe.each(loaded)('in $build', ({ build, memory }) => {
  const { kernels } = memory;

  function place(values: Float32Array): number {
    const pointer = memory.allocate(values.length * 4);
    memory.floats(pointer, values.length).set(values);
    return pointer;
  }

  describe('the matrix product', () => {
    for (const [rows, depth, columns] of sizes) {
      for (const turnA of [false, true]) {
        for (const turnB of [false, true]) {
          it(`equals the float64 product at ${rows}x${depth}x${columns}${turnA ? ', A turned' : ''}${turnB ? ', B turned' : ''}`, () => {
            const a = noise(rows * depth, 1);
            const b = noise(depth * columns, 2);
            const start = noise(rows * columns, 3);
            const c = place(start);
            let left = place(a);
            if (turnA) {
              const stored = place(transposed(a, depth, rows));
              left = memory.allocate(rows * depth * 4);
              kernels.transpose(stored, rows, left, depth, depth, rows);
            }
            const packed = memory.allocate(depth * Math.ceil(columns / 8) * 8 * 4);
            if (turnB) kernels.packRows(place(transposed(b, columns, depth)), depth, packed, depth, columns);
            else kernels.packColumns(place(b), columns, packed, depth, columns);

            kernels.multiply(left, depth, packed, c, columns, rows, depth, columns, true);

            const actual = memory.floats(c, rows * columns);
            let worst = 0;
            for (let i = 0; i < rows; i++) {
              for (let j = 0; j < columns; j++) {
                let sum = start[i * columns + j]!;
                for (let k = 0; k < depth; k++) sum += a[i * depth + k]! * b[k * columns + j]!;
                worst = Math.max(worst, Math.abs(sum - actual[i * columns + j]!));
              }
            }
            expect(worst).toBeLessThan(1e-6 * Math.sqrt(depth) * 4);
          });
        }
      }
    }

    it('gives a row the same bits alone and among others', () => {
      const [rows, depth, columns] = [23, 700, 30];
      const a = place(noise(rows * depth, 4));
      const packed = memory.allocate(depth * 32 * 4);
      kernels.packColumns(place(noise(depth * columns, 5)), columns, packed, depth, columns);
      const together = memory.allocate(rows * columns * 4);
      const alone = memory.allocate(columns * 4);
      kernels.multiply(a, depth, packed, together, columns, rows, depth, columns, false);
      for (let row = 0; row < rows; row++) {
        kernels.multiply(a + row * depth * 4, depth, packed, alone, columns, 1, depth, columns, false);
        expect(memory.floats(alone, columns)).toEqual(memory.floats(together + row * columns * 4, columns));
      }
    });
  });

  describe('softmax', () => {
    it('agrees with the float64 distribution, its log sum and its entropy', () => {
      const count = 270;
      const logits = noise(272, 6).map((value) => value * 20);
      logits[270] = logits[271] = 1000;
      const at = place(logits);
      const weights = memory.allocate(272 * 4);
      const statistics = memory.allocate(12);
      const entropy = memory.allocate(4);
      kernels.softmax(at, weights, 272, statistics, 1, count, 1);
      kernels.entropy(at, weights, 272, statistics, entropy, 1, count);

      const exact = [...logits.subarray(0, count)].map(Math.exp);
      const sum = exact.reduce((total, value) => total + value, 0);
      const [high, total, logSum] = memory.floats(statistics, 3);
      const shares = memory.floats(weights, count);
      for (let i = 0; i < count; i++) expect(shares[i]! / total!).toBeCloseTo(exact[i]! / sum, 6);
      expect(high).toBe(Math.max(...logits.subarray(0, count)));
      expect(logSum).toBeCloseTo(Math.log(sum), 5);
      const expected = exact.reduce((h, value) => h - (value / sum) * Math.log(value / sum), 0);
      expect(memory.floats(entropy, 1)[0]).toBeCloseTo(expected, 5);
    });
  });

  describe('fused arithmetic', () => {
    it('is told by what is computed, not by the name of the build', () => {
      const x = place(Float32Array.of(1 + 2 ** -12));
      const packed = memory.allocate(32);
      kernels.packColumns(x, 1, packed, 1, 1);
      const c = place(Float32Array.of(-1));
      kernels.multiply(x, 1, packed, c, 1, 1, 1, 1, true);
      const isExact = memory.floats(c, 1)[0] === 2 ** -11 + 2 ** -24;
      expect(Boolean(kernels.isFused())).toBe(isExact);
      if (build === 'kernels.wasm') expect(isExact).toBe(false);
    });
  });
});

describe('the memory', () => {
  it('hands out freed memory again, merged with its neighbours', () => {
    const memory = loaded[0]!.memory;
    const [first, second, third] = [memory.allocate(1000), memory.allocate(1000), memory.allocate(1000)];
    const size = second - first;
    memory.free(first);
    memory.free(third);
    memory.free(second);
    expect(memory.allocate(3 * size)).toBe(first);
  });
});
