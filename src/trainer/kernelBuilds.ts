import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { KernelKind } from '../schema/trainerProcess';
import type { EngineAssets } from './engine';
import { WasmMemory } from './wasmMemory';

/** The built parts in a folder. */
export const assetsIn = (folder: string): EngineAssets => ({
  computeScript: join(folder, 'computeThread.js'),
  kernels: ['kernels.relaxed.wasm', 'kernels.wasm'].map((name) => join(folder, name)),
});

/** Compiles the first build that this version of V8 takes. Node 20 has relaxed SIMD, but only behind a flag. */
export async function compileKernels(files: EngineAssets['kernels']): Promise<WebAssembly.Module> {
  const builds = await Promise.all(files.map((file) => readFile(file)));
  if (!WebAssembly.validate(builds[0]!)) setFlagsFromString('--experimental-wasm-relaxed-simd');
  return WebAssembly.compile(builds.find((build) => WebAssembly.validate(build)) ?? builds.at(-1)!);
}

/** Found by computing, for the processor decides as well: without fused arithmetic every build rounds twice. */
export const kindOf = (kernels: WebAssembly.Module): KernelKind =>
  new WasmMemory(kernels).kernels.isFused() ? 'fma' : 'plain';
