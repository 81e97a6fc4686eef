import { setTimeout as sleep } from 'node:timers/promises';
import { mulberry32 } from '../../../src/lib/seed';
import type { Engine, ModelShape } from '../../../src/trainer/engine';

export const shape: ModelShape = { vocabulary: 270, width: 96, layers: 3, heads: 3, context: 256 };

/** Rows of a training batch, their length, and the positions of a decoded sequence. */
export const sizes = { batch: 64, length: 63, decoded: 96 };

const adam = { learning_rate: 1e-3, beta1: 0.9, beta2: 0.98, eps: 1e-8, weight_decay: 0, grad_clip_norm: 1 };
const promptLength = 8;
const random = mulberry32(1);
const tokens = (length: number) => Int32Array.from({ length }, () => Math.floor(random() * shape.vocabulary));
const never = new AbortController().signal;

/** One optimizer step. @returns tokens trained on. */
export async function trainStep(engine: Engine): Promise<number> {
  const { batch, length } = sizes;
  const rows = Array.from({ length: batch }, () => ({ tokens: tokens(length), targets: tokens(length) }));
  await engine.forwardBackward('bench', rows, 'cross_entropy', {});
  await engine.optimStep('bench', adam);
  return batch * length;
}

/** Samples `count` sequences, each begun up to `spreadSeconds` after the start. @returns positions computed. */
export async function sampleBatch(engine: Engine, count: number, spreadSeconds = 0): Promise<number> {
  const snapshot = await engine.snapshot('bench');
  const maxTokens = sizes.decoded - promptLength;
  const requests = Array.from({ length: count }, async (_, seed) => {
    if (spreadSeconds > 0) await sleep(random() * spreadSeconds * 1000);
    const settings = { maxTokens, stop: [], temperature: 1, topK: -1, topP: 1, promptLogprobs: false };
    await engine.sample(snapshot, { ...settings, prompt: tokens(promptLength), seed }, never);
  });
  await Promise.all(requests);
  await engine.releaseSnapshot(snapshot);
  return count * (sizes.decoded - 1);
}
