import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import type { Engine, SampledSequence, SamplingRequest } from '../../../src/trainer/engine';
import { adam, never, randomRows, randomTokens, samplingRequest, startEngine } from '../../support/localEngine';

let engine: Engine;
let snapshot: string;

beforeAll(async () => {
  engine = await startEngine(2);
  await engine.createModel('a', 3);
  for (let step = 0; step < 5; step++) {
    await engine.forwardBackward('a', randomRows(8, 40, step), 'cross_entropy', {});
    await engine.optimStep('a', adam);
  }
  snapshot = await engine.snapshot('a');
});
afterAll(() => engine.dispose());

const sample = (request: SamplingRequest, signal = never) => engine.sample(snapshot, request, signal);

/** What must not depend on circumstances: all but the share of the cache. */
const essence = ({ tokens, logprobs, stopReason }: SampledSequence) => ({ tokens, logprobs, stopReason });

async function alone(request: SamplingRequest) {
  const fresh = await engine.snapshot('a');
  const result = await engine.sample(fresh, request, never);
  await engine.releaseSnapshot(fresh);
  return essence(result);
}

describe('a sampled sequence', () => {
  it('is the same alone, among forty others and again from the cache', async () => {
    const request = samplingRequest(randomTokens(30, 1), { seed: 11, maxTokens: 50 });
    const others = Array.from({ length: 40 }, (_, i) => samplingRequest(randomTokens(5 + i, 100 + i), { seed: i }));
    const expected = await alone(request);
    const [among] = await Promise.all([request, ...others].map((each) => sample(each)));
    const again = await sample(request);
    expect(essence(among!)).toEqual(expected);
    expect(essence(again)).toEqual(expected);
    expect(again.cachedTokens).toBe(29);
  });

  it('is the same whether requests arrive together or at random times', async () => {
    const requests = Array.from({ length: 32 }, (_, i) =>
      samplingRequest(randomTokens(4 + (i % 7), Math.floor(i / 4)), { seed: i, maxTokens: 40 }),
    );
    const together = await Promise.all(requests.map((request) => sample(request)));
    const random = mulberry32(4);
    const scattered = await Promise.all(
      requests.map(async (request) => {
        await sleep(random() * 60);
        return sample(request);
      }),
    );
    expect(scattered.map(essence)).toEqual(together.map(essence));
  });

  it('differs between seeds', async () => {
    const prompt = randomTokens(8, 1);
    const results = await Promise.all([1, 2, 3, 4].map((seed) => sample(samplingRequest(prompt, { seed }))));
    expect(new Set(results.map(({ tokens }) => tokens.join(' '))).size).toBe(4);
  });

  it('ends after the first stop token, which it includes', async () => {
    const request = samplingRequest(randomTokens(8, 2), { maxTokens: 60 });
    const free = await sample(request);
    const stop = free.tokens[5]!;
    const stopped = await sample({ ...request, stop: [[stop]] });
    const end = free.tokens.indexOf(stop) + 1;
    expect(stopped.tokens).toEqual(free.tokens.slice(0, end));
    expect(stopped.stopReason).toBe('stop');
    expect(free.stopReason).toBe('length');
  });

  it('ends after a sequence of stop tokens, not before it is whole and not with the prompt for its beginning', async () => {
    const request = samplingRequest(randomTokens(8, 2), { maxTokens: 60 });
    const free = await sample(request);
    const stop = Array.from(free.tokens.slice(4, 7));
    const stopped = await sample({ ...request, stop: [[-1, -1], stop] });
    expect(stopped.tokens).toEqual(free.tokens.slice(0, 7));
    expect(stopped.logprobs).toEqual(free.logprobs.slice(0, 7));
    expect(stopped.stopReason).toBe('stop');
    const across = [request.prompt.at(-1)!, free.tokens[0]!];
    expect(await sample({ ...request, stop: [across] }).then(({ tokens }) => tokens.length)).toBe(60);
  });

  it('is empty when no tokens are asked for, and the prompt is still rated', async () => {
    const result = await sample(samplingRequest(randomTokens(6, 3), { maxTokens: 0, promptLogprobs: true }));
    expect(result.tokens).toHaveLength(0);
    expect(result.promptLogprobs).toHaveLength(6);
    expect(result.promptLogprobs.slice(1).every((logprob) => logprob < 0)).toBe(true);
  });

  it('follows the likeliest tokens at temperature 0 and with top-k of 1', async () => {
    const request = samplingRequest(randomTokens(6, 4));
    const greedy = await sample({ ...request, temperature: 0 });
    const single = await sample({ ...request, topK: 1 });
    const narrow = await sample({ ...request, topP: 1e-6 });
    expect(essence(single)).toEqual(essence(greedy));
    expect(essence(narrow)).toEqual(essence(greedy));
  });

  it('has the frequencies of its distribution', async () => {
    const prompt = randomTokens(6, 5);
    const draws = 4000;
    const results = await Promise.all(
      Array.from({ length: draws }, (_, seed) => sample(samplingRequest(prompt, { seed, maxTokens: 1 }))),
    );
    const seen = new Map<number, { count: number; probability: number }>();
    for (const { tokens, logprobs } of results) {
      const entry = seen.get(tokens[0]!) ?? { count: 0, probability: Math.exp(logprobs[0]!) };
      entry.count += 1;
      seen.set(tokens[0]!, entry);
    }
    for (const { count, probability } of seen.values()) {
      const deviation = Math.sqrt(draws * probability * (1 - probability));
      expect(Math.abs(count - draws * probability)).toBeLessThan(5 * deviation + 1);
    }
  });
});

describe('an aborted request', () => {
  it('rejects with the reason of its signal and leaves the others alone', async () => {
    const requests = [1, 2, 3].map((seed) => samplingRequest(randomTokens(10, seed), { seed, maxTokens: 100 }));
    const expected = await Promise.all(requests.map((request) => sample(request)));
    const controller = new AbortController();
    const pending = requests.map((request, i) => sample(request, i === 1 ? controller.signal : never));
    controller.abort(new Error('enough'));
    const results = await Promise.allSettled(pending);
    expect(results[1]).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    expect(results[0]).toMatchObject({ value: essence(expected[0]!) });
    expect(results[2]).toMatchObject({ value: essence(expected[2]!) });
  });
});

describe('the cache', () => {
  it('holds at least nine tenths of the prefix when a prompt extends an earlier sequence', async () => {
    const fresh = await engine.snapshot('a');
    const turns = await Promise.all(
      Array.from({ length: 24 }, async (_, i) => {
        const prompt = randomTokens(20, 300 + i);
        const first = await engine.sample(fresh, samplingRequest(prompt, { seed: i, maxTokens: 30 }), never);
        const longer = Int32Array.of(...prompt, ...first.tokens, ...randomTokens(9, i));
        const second = await engine.sample(fresh, samplingRequest(longer, { seed: i }), never);
        return { share: second.cachedTokens / 50, second, longer, seed: i };
      }),
    );
    for (const { share } of turns) expect(share).toBeGreaterThanOrEqual(0.9);
    const { longer, seed, second } = turns[5]!;
    expect(await alone(samplingRequest(longer, { seed }))).toEqual(essence(second));
    await engine.releaseSnapshot(fresh);
  });

  it('serves the equal prompts of a group after computing each once per thread', async () => {
    const fresh = await engine.snapshot('a');
    const before = engine.statistics();
    const prompt = randomTokens(40, 9);
    const group = Array.from({ length: 8 }, (_, seed) => samplingRequest(prompt, { seed }));
    await Promise.all(group.map((request) => engine.sample(fresh, request, never)));
    const { cachedTokens, promptTokens, sampledTokens } = engine.statistics();
    expect(promptTokens - before.promptTokens).toBe(320);
    expect(sampledTokens - before.sampledTokens).toBe(160);
    expect(cachedTokens - before.cachedTokens).toBeGreaterThanOrEqual(6 * 39);
    await engine.releaseSnapshot(fresh);
  });

  it('is emptied of the oldest when memory runs short, and results stay the same', async () => {
    const tight = await startEngine(1, undefined, 40 * 16_384);
    await tight.createModel('a', 3);
    const [roomy, narrow] = [await startEngine(1), tight];
    await roomy.createModel('a', 3);
    const requests = Array.from({ length: 30 }, (_, seed) =>
      samplingRequest(randomTokens(30, seed % 11), { seed, maxTokens: 60 }),
    );
    const [a, b] = await Promise.all(
      [roomy, narrow].map(async (each) => {
        const weights = await each.snapshot('a');
        const first = await Promise.all(requests.map((request) => each.sample(weights, request, never)));
        const second = await Promise.all(requests.map((request) => each.sample(weights, request, never)));
        return [...first, ...second].map(essence);
      }),
    );
    expect(b).toEqual(a);
    roomy.dispose();
    tight.dispose();
  });

  it('reaches through a context of 2,048 tokens', async () => {
    const long = await startEngine(1, { vocabulary: 40, width: 16, layers: 1, heads: 1, context: 2048 });
    await long.createModel('a', 3);
    const weights = await long.snapshot('a');
    const prompt = randomTokens(1500, 1);
    const result = await long.sample(weights, samplingRequest(prompt, { maxTokens: 548 }), never);
    const all = Int32Array.of(...prompt, ...result.tokens);
    const row = { tokens: all.slice(0, -1), targets: all.slice(1) };
    const { logprobs } = await long.forwardBackward('a', [row], 'cross_entropy', {});
    expect(logprobs[0]!.slice(1499)).toEqual(result.logprobs);
    long.dispose();
  });
});

describe('a released snapshot', () => {
  it('leaves no request hanging and is refused afterwards', async () => {
    const fresh = await engine.snapshot('a');
    const request = samplingRequest(randomTokens(10, 1), { maxTokens: 110 });
    const pending = [1, 2, 3].map((seed) => engine.sample(fresh, { ...request, seed }, never));
    const settled = Promise.allSettled(pending);
    await engine.releaseSnapshot(fresh);
    for (const result of await settled) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'data' });
    }
    await expect(engine.sample(fresh, request, never)).rejects.toMatchObject({ code: 'data' });
  });
});
