import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DisposableStore } from '../../../src/lib/lifecycle';
import type { Engine, ModelState } from '../../../src/trainer/engine';
import { createEngine } from '../../../src/trainer/threadedEngine';
import {
  adam,
  assets,
  builds,
  never,
  randomRows,
  randomTokens,
  samplingRequest,
  smallShape,
  startEngine,
} from '../../support/localEngine';

let engines = new DisposableStore();
afterEach(() => {
  engines.dispose();
  engines = new DisposableStore();
});

const start = async (...options: Parameters<typeof startEngine>) => engines.add(await startEngine(...options));

/** Three optimizer steps, the last of two calls, with sampling in between. @returns all that can be compared. */
async function trainAndSample(engine: Engine) {
  await engine.createModel('a', 3);
  const sampled = [];
  const norms = [];
  for (let step = 0; step < 3; step++) {
    await engine.forwardBackward('a', randomRows(13, 60, step), 'cross_entropy', {});
    if (step === 2) await engine.forwardBackward('a', randomRows(5, 100, 77), 'cross_entropy', { entropy_coef: 0.1 });
    norms.push((await engine.optimStep('a', adam)).gradientNorm);
    const snapshot = await engine.snapshot('a');
    const prompts = [1, 2, 3, 4, 5, 6].map((seed) => samplingRequest(randomTokens(9 + seed, seed), { seed }));
    sampled.push(...(await Promise.all(prompts.map((request) => engine.sample(snapshot, request, never)))));
    await engine.releaseSnapshot(snapshot);
  }
  return { norms, sampled, state: await engine.exportState('a', true) };
}

describe.each(builds)('bit-equal results of $build', ({ assets: parts }) => {
  const start = async (threads: number) => engines.add(await startEngine(threads, undefined, undefined, parts));

  it('do not depend on the number of threads, through several steps with sampling in between', async () => {
    const one = await trainAndSample(await start(1));
    const two = await trainAndSample(await start(2));
    const three = await trainAndSample(await start(3));
    expect(two).toEqual(one);
    expect(three).toEqual(one);
  });

  it('continue from an exported state with its optimizer as if never stopped', async () => {
    const engine = await start(2);
    await engine.createModel('a', 3);
    const step = async (model: string, index: number) => {
      await engine.forwardBackward(model, randomRows(8, 40, index), 'cross_entropy', {});
      await engine.optimStep(model, adam);
    };
    await step('a', 1);
    await step('a', 2);
    const saved = await engine.exportState('a', true);
    await step('a', 3);
    await engine.createModel('b', 99);
    await engine.importState('b', saved, true);
    await step('b', 3);
    expect(await engine.exportState('b', true)).toEqual(await engine.exportState('a', true));
  });

  it('hold for the initial weights of a seed, which differ between seeds', async () => {
    const engine = await start(1);
    await engine.createModel('a', 1);
    await engine.createModel('b', 1);
    await engine.createModel('c', 2);
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((model) => engine.exportState(model, false)));
    expect(b).toEqual(a);
    expect(c).not.toEqual(a);
  });

  it('do not depend on what else is sampled, nor on the cache', async () => {
    const engine = await start(1);
    await engine.createModel('a', 3);
    const snapshot = await engine.snapshot('a');
    const request = samplingRequest(randomTokens(30, 1), { maxTokens: 50 });
    const others = [1, 2, 3, 4, 5, 6].map((seed) => samplingRequest(randomTokens(7 + seed, 100 + seed), { seed }));
    const alone = await engine.sample(snapshot, request, never);
    const fresh = await engine.snapshot('a');
    const [among] = await Promise.all([request, ...others].map((each) => engine.sample(fresh, each, never)));
    const again = await engine.sample(fresh, request, never);
    expect(among).toEqual(alone);
    expect(again).toEqual({ ...alone, cachedTokens: 29 });
  });

  it('make the log-probabilities of sampling exactly those of training', async () => {
    const engine = await start(2);
    await engine.createModel('a', 3);
    const snapshot = await engine.snapshot('a');
    const prompt = randomTokens(21, 5);
    const request = samplingRequest(prompt, { maxTokens: 70, promptLogprobs: true, temperature: 0.7, topK: 12 });
    const sampled = await engine.sample(snapshot, request, never);
    const all = Int32Array.of(...prompt, ...sampled.tokens);
    const row = { tokens: all.slice(0, -1), targets: all.slice(1) };
    const { logprobs } = await engine.forward('a', [row], 'cross_entropy', {});
    expect(logprobs[0]!.slice(prompt.length - 1)).toEqual(sampled.logprobs);
    expect(logprobs[0]!.slice(0, prompt.length - 1)).toEqual(sampled.promptLogprobs.slice(1));
    expect(sampled.promptLogprobs[0]).toBeNaN();
  });
});

describe('training', () => {
  it('lowers the loss on rows that repeat', async () => {
    const engine = await start();
    await engine.createModel('a', 3);
    const rows = randomRows(4, 30, 1);
    const losses = [];
    for (let step = 0; step < 40; step++) {
      const { metrics } = await engine.forwardBackward('a', rows, 'cross_entropy', {});
      losses.push(metrics['loss:sum']!);
      await engine.optimStep('a', adam);
    }
    expect(losses.at(-1)! / losses[0]!).toBeLessThan(0.2);
  });

  it('reports sums over rows and tokens, entropy over its mask', async () => {
    const engine = await start();
    await engine.createModel('a', 3);
    const rows = randomRows(3, 20, 2).map((row) => ({
      ...row,
      logprobs: new Float32Array(row.tokens.length).fill(-4),
      advantages: Float32Array.from(row.tokens, (_, t) => t % 2),
    }));
    const config = { clip_low_threshold: 0.9, clip_high_threshold: 1.1, entropy_coef: 0.5 };
    const { metrics, elementwiseLoss, logprobs } = await engine.forward('a', rows, 'ppo', config);
    const masked = rows.reduce((sum, row) => sum + row.advantages.reduce((a, b) => a + b, 0), 0);
    const loss = elementwiseLoss.reduce((sum, terms) => sum + terms.reduce((a, b) => a + b, 0), 0);
    expect(metrics['tokens:sum']).toBe(masked);
    expect(metrics['loss:sum']).toBeCloseTo(loss - 0.5 * metrics['entropy:sum']!, 4);
    expect(metrics['entropy:sum']! / masked).toBeGreaterThan(3);
    const ratios = logprobs
      .flatMap((row, i) => [...row].filter((_, t) => rows[i]!.advantages[t]! > 0))
      .map((logprob) => Math.exp(logprob + 4));
    expect(metrics['ratio:max']).toBeCloseTo(Math.max(...ratios), 6);
    expect(metrics['clipped:sum']).toBe(ratios.filter((ratio) => ratio > 1.1).length);
  });

  it('clips the gradient to its global norm and reports the norm before', async () => {
    const engine = await start();
    for (const model of ['a', 'b']) {
      await engine.createModel(model, 3);
      await engine.forwardBackward(model, randomRows(6, 30, 1), 'cross_entropy', {});
    }
    // With a huge eps the step is proportional to the gradient.
    const plain = { ...adam, eps: 1e6, weight_decay: 0, learning_rate: 1e6 };
    const before = await engine.exportState('a', false);
    const free = await engine.optimStep('a', { ...plain, grad_clip_norm: 0 });
    const clipped = await engine.optimStep('b', { ...plain, grad_clip_norm: free.gradientNorm / 4 });
    expect(clipped.gradientNorm).toBe(free.gradientNorm);
    const moved = (after: ModelState) =>
      Math.hypot(
        ...[...after].flatMap(([name, { data }]) => [...data.map((value, i) => value - before.get(name)!.data[i]!)]),
      );
    const ratio = moved(await engine.exportState('a', false)) / moved(await engine.exportState('b', false));
    expect(ratio).toBeCloseTo(4, 2);
  });

  it('takes weight decay off the weights alone, apart from the moments of Adam', async () => {
    const engine = await start();
    const decay = { ...adam, learning_rate: 0.01, weight_decay: 0.1 };
    const weights = async (model: string) => [...(await engine.exportState(model, true))];
    for (const model of ['plain', 'decayed']) {
      await engine.createModel(model, 3);
      await engine.forwardBackward(model, randomRows(6, 30, 1), 'cross_entropy', {});
    }
    const before = await weights('plain');
    await engine.optimStep('plain', { ...decay, weight_decay: 0 });
    await engine.optimStep('decayed', decay);
    const [plain, decayed] = [await weights('plain'), await weights('decayed')];
    let farthest = 0;
    for (const [i, [name, { data }]] of decayed.entries()) {
      // Moments know nothing of the decay, as they would with an L2 penalty.
      if (name.startsWith('adam.')) expect(data).toEqual(plain[i]![1].data);
      else
        for (const [j, value] of data.entries()) {
          const expected = plain[i]![1].data[j]! - 0.01 * 0.1 * before[i]![1].data[j]!;
          farthest = Math.max(farthest, Math.abs(value - expected));
        }
    }
    expect(decayed.some(([name]) => name.startsWith('adam.'))).toBe(true);
    expect(farthest).toBeLessThan(1e-6);
    expect(Math.max(...before.flatMap(([, { data }]) => [...data]).map(Math.abs))).toBeGreaterThan(0.5);
  });

  it('keeps the order of calls that are not awaited', async () => {
    const [eager, patient] = [await start(2), await start(2)];
    for (const engine of [eager, patient]) await engine.createModel('a', 3);
    const rows = [randomRows(5, 30, 1), randomRows(5, 30, 2)];
    const calls = [];
    for (const part of rows) {
      calls.push(eager.forwardBackward('a', part, 'cross_entropy', {}), eager.optimStep('a', adam));
      await patient.forwardBackward('a', part, 'cross_entropy', {});
      await patient.optimStep('a', adam);
    }
    const [left] = await Promise.all([eager.exportState('a', true), ...calls]);
    expect(left).toEqual(await patient.exportState('a', true));
  });
});

describe('a request that cannot be served is refused in one sentence', () => {
  const row = { tokens: Int32Array.of(1, 2), targets: Int32Array.of(2, 3) };
  const policy = { ...row, logprobs: Float32Array.of(-1, -1), advantages: Float32Array.of(1, 1) };

  it.each([
    [{ ...row, tokens: Int32Array.of(1, 40) }, 'Row 1: tokens has 40, and the vocabulary ends at 39.'],
    [{ ...row, targets: Int32Array.of(1, -1) }, 'Row 1: targets has -1, and the vocabulary ends at 39.'],
    [{ ...policy, targets: Int32Array.of(1) }, 'Row 1: targets has 1 entries for 2 tokens.'],
    [{ ...policy, advantages: Float32Array.of(1, Number.NaN) }, 'Row 1: advantages has an entry that is not finite.'],
    [{ ...row, advantages: Float32Array.of(1, 1) }, 'Row 1: logprobs is missing, and ppo needs it.'],
    [
      { ...policy, tokens: new Int32Array(129), targets: new Int32Array(129) },
      'Row 1: tokens has 129 tokens, and the context is 128.',
    ],
  ])('row %#', async (bad, message) => {
    const engine = await start();
    await engine.createModel('a', 1);
    await expect(engine.forwardBackward('a', [policy, bad], 'ppo', {})).rejects.toMatchObject({
      code: 'data',
      message,
    });
  });

  it('when prompt and answer exceed the context', async () => {
    const engine = await start();
    await engine.createModel('a', 1);
    const snapshot = await engine.snapshot('a');
    const request = samplingRequest(randomTokens(100, 1), { maxTokens: 29 });
    await expect(engine.sample(snapshot, request, never)).rejects.toMatchObject({
      code: 'data',
      message: 'A prompt of 100 tokens and 29 to sample exceed the context of 128 tokens.',
    });
  });

  it('when a state lacks a tensor or has another shape', async () => {
    const engine = await start();
    await engine.createModel('a', 1);
    const state = await engine.exportState('a', false);
    await expect(engine.importState('a', state, true)).rejects.toMatchObject({
      message: 'The tensor adam.m.embedding.token (40 x 32) is missing.',
    });
    const [name] = state.keys();
    const bent = new Map(state).set(name!, { shape: [2, 2], data: new Float32Array(4) });
    await expect(engine.snapshotOf(bent)).rejects.toMatchObject({
      message: 'The tensor model.embedding.token is 2 x 2 (4 values), not 40 x 32.',
    });
  });
});

describe('the threads', () => {
  it('fail every call when one of them dies, and none hangs', async () => {
    const computeScript = join(tmpdir(), `retool-dying-thread-${process.pid}.js`);
    await writeFile(computeScript, `require('node:worker_threads').parentPort.on('message', () => process.exit(3));`);
    const engine = engines.add(await createEngine(smallShape, { threads: 1, assets: { ...assets, computeScript } }));
    await engine.createModel('a', 1);
    const snapshot = await engine.snapshot('a');
    const calls = await Promise.allSettled([
      engine.forwardBackward('a', randomRows(3, 10, 1), 'cross_entropy', {}),
      engine.sample(snapshot, samplingRequest(randomTokens(5, 1)), never),
    ]);
    for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: { code: 'service' } });
  });

  it('end with the engine, and what was asked of them is cancelled', async () => {
    const engine = await start(2);
    await engine.createModel('a', 1);
    const snapshot = await engine.snapshot('a');
    const pending = engine.sample(snapshot, samplingRequest(randomTokens(5, 1), { maxTokens: 100 }), never);
    engine.dispose();
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' });
  });
});
