import type { EngineAssets } from '../../../src/trainer/engine';
import { compileKernels } from '../../../src/trainer/kernelBuilds';
import { WasmMemory } from '../../../src/trainer/wasmMemory';

export interface Product {
  readonly rows: number;
  readonly depth: number;
  readonly columns: number;
  /** A is stored depth first, as in the gradient of a weight. */
  readonly transposed: boolean;
}

export const products: readonly Product[] = [
  { rows: 2048, depth: 384, columns: 128, transposed: false },
  { rows: 2048, depth: 128, columns: 512, transposed: false },
  { rows: 128, depth: 2048, columns: 512, transposed: true },
];

/** @returns a function that measures one product, packing included: GFLOP/s of processor time, the best of its repeats. */
export async function prepareProducts(kernels: EngineAssets['kernels']): Promise<(product: Product) => number> {
  const memory = new WasmMemory(await compileKernels(kernels));
  const { transpose, packColumns, multiply } = memory.kernels;
  const [a, b, packed, turned, c] = Array.from({ length: 5 }, () => {
    const pointer = memory.allocate(2048 * 544 * 4);
    memory.floats(pointer, 2048 * 544).fill(0.5);
    return pointer;
  }) as [number, number, number, number, number];

  const once = ({ rows, depth, columns, transposed }: Product) => {
    packColumns(b, columns, packed, depth, columns);
    const stride = transposed ? depth + 16 : depth;
    if (transposed) transpose(a, rows, turned, stride, depth, rows);
    multiply(transposed ? turned : a, stride, packed, c, columns, rows, depth, columns, false);
  };
  return (product) => {
    let best = 0;
    for (const end = performance.now() + 100; performance.now() < end; ) {
      const before = process.cpuUsage();
      for (let i = 0; i < 4; i++) once(product);
      const { user, system } = process.cpuUsage(before);
      const operations = 8 * product.rows * product.depth * product.columns;
      best = Math.max(best, operations / ((user + system) * 1e3));
    }
    return best;
  };
}
