import { basename, resolve } from 'node:path';
import { mulberry32 } from '../../src/lib/seed';
import type { Engine, EngineAssets, ModelShape, SamplingRequest, TrainingRow } from '../../src/trainer/engine';
import { assetsIn, compileKernels } from '../../src/trainer/kernelBuilds';
import { createEngine } from '../../src/trainer/threadedEngine';
import { WasmMemory } from '../../src/trainer/wasmMemory';

export const assets = assetsIn(resolve(import.meta.dirname, '../../dist'));

/** Assets of each build of the kernels alone, by the name of its file. */
export const builds = assets.kernels.map((file) => ({ build: basename(file), assets: { ...assets, kernels: [file] } }));

export const smallShape: ModelShape = { vocabulary: 40, width: 32, layers: 2, heads: 2, context: 128 };

export const adam = {
  learning_rate: 3e-3,
  beta1: 0.9,
  beta2: 0.98,
  eps: 1e-8,
  weight_decay: 0.01,
  grad_clip_norm: 1,
};

export function startEngine(
  threads = 1,
  shape = smallShape,
  cacheBytes?: number,
  parts: EngineAssets = assets,
): Promise<Engine> {
  return createEngine(shape, { threads, assets: parts, ...(cacheBytes === undefined ? {} : { cacheBytes }) });
}

export async function loadKernels(parts: EngineAssets = assets): Promise<WasmMemory> {
  return new WasmMemory(await compileKernels(parts.kernels));
}

/** Token ids without pattern. */
export function randomTokens(length: number, seed: number, vocabulary = smallShape.vocabulary): Int32Array {
  const random = mulberry32(seed);
  return Int32Array.from({ length }, () => Math.floor(random() * vocabulary));
}

/** Rows of cross-entropy with lengths between 1 and `longest`. */
export function randomRows(count: number, longest: number, seed: number): TrainingRow[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, (_, row) => {
    const tokens = randomTokens(2 + Math.floor(random() * longest), seed * 1000 + row);
    return { tokens: tokens.slice(0, -1), targets: tokens.slice(1) };
  });
}

export function samplingRequest(prompt: Int32Array, over: Partial<SamplingRequest> = {}): SamplingRequest {
  return {
    prompt,
    maxTokens: 20,
    stop: [],
    temperature: 1,
    topK: -1,
    topP: 1,
    seed: 7,
    promptLogprobs: false,
    ...over,
  };
}

export const never = new AbortController().signal;
