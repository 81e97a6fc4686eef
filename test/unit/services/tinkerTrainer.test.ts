import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Datum, SampleRequest } from '../../../src/rl/ports';
import { localProfile } from '../../../src/services/profile';
import { ScriptedServer } from '../../support/scriptedServer';

const never = new AbortController().signal;
const adam = { learningRate: 0.5, beta1: 0.9, beta2: 0.9, epsilon: 1, weightDecay: 0, gradientClip: 0 };

const datum: Datum = {
  tokens: [1, 2, 3],
  targets: [2, 3, 4],
  mask: [0, 1, 1],
  logprobs: [0, -5, -6],
  coefficients: [0, 0.5, 0.25],
};
const ask: SampleRequest = { prompt: [1, 2], maxTokens: 5, stop: [7], temperature: 1, seed: 3 };

describe('a trainer on a service', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    service = await ScriptedServer.start();
  });
  afterEach(() => service.close());

  it('makes the taught tokens likelier', async () => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    const before = await trainer.forward([datum], { kind: 'crossEntropy' });
    const trained = await trainer.forwardBackward([datum], { kind: 'crossEntropy' });
    const stepped = await trainer.optimStep(adam);
    const after = await trainer.forward([datum], { kind: 'crossEntropy' });
    expect(trained).toEqual(before);
    expect(stepped.grad_norm).toBeGreaterThan(0);
    expect(after.logprobs![0]![1]).toBeGreaterThan(before.logprobs![0]![1]!);
    expect(after.logprobs![0]!).toHaveLength(3);
  });

  it('runs calls in the order in which they are made, without waiting in between', async () => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    await Promise.all([
      trainer.forwardBackward([datum], { kind: 'crossEntropy' }),
      trainer.optimStep(adam),
      trainer.policy(),
      trainer.save('a'),
      trainer.forwardBackward([datum], { kind: 'importanceSampling' }),
    ]);
    expect(service.engine.calls).toEqual([
      'forwardBackward cross_entropy',
      'optimStep',
      'snapshot',
      'exportState true',
      'forwardBackward importance_sampling',
    ]);
  });

  it('sends thresholds and entropy bonus as the protocol names them', async () => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    const loss = { kind: 'ppo', clipLow: 0.7, clipHigh: 1.4, entropyCoefficient: 0.01 } as const;
    await trainer.forwardBackward([datum], loss);
    expect(service.engine.lastConfig).toEqual({
      clip_low_threshold: 0.7,
      clip_high_threshold: 1.4,
      entropy_coef: 0.01,
    });
    expect(service.engine.lastRows[0]).toMatchObject({
      tokens: Int32Array.of(1, 2, 3),
      targets: Int32Array.of(2, 3, 4),
      weights: Float32Array.of(0, 1, 1),
      logprobs: Float32Array.of(0, -5, -6),
      advantages: Float32Array.of(0, 0.5, 0.25),
    });
  });

  it('splits a batch that is too large for one request and joins the results', async () => {
    const limits = { samples: 8, datums: 2 };
    const trainer = await (await service.connect({ limits })).createTrainer({ seed: 1 }, never);
    const batch = [1, 2, 3, 4, 5].map((token) => ({ ...datum, targets: [token, token, token] }));
    const whole = await (await service.connect()).createTrainer({ seed: 1 }, never);
    const split = await trainer.forwardBackward(batch, { kind: 'crossEntropy' });
    const one = await whole.forwardBackward(batch, { kind: 'crossEntropy' });
    expect(service.engine.calls).toHaveLength(4);
    expect(split.logprobs).toEqual(one.logprobs);
    expect(split.metrics['loss:sum']).toBeCloseTo(one.metrics['loss:sum']!, 9);
  });

  it('goes on from a saved state as if never stopped', async () => {
    const first = await (await service.connect()).createTrainer({ seed: 1 }, never);
    await first.forwardBackward([datum], { kind: 'crossEntropy' });
    await first.optimStep(adam);
    const path = await first.save('a');
    const second = await (await service.connect()).resumeTrainer(path, true, never);
    const fresh = await (await service.connect()).resumeTrainer(path, false, never);
    for (const trainer of [first, second, fresh]) {
      await trainer.forwardBackward([datum], { kind: 'crossEntropy' });
      await trainer.optimStep(adam);
    }
    const [a, b, c] = await Promise.all(
      [first, second, fresh].map((trainer) => trainer.forward([datum], { kind: 'crossEntropy' })),
    );
    expect(b).toEqual(a);
    expect(c).not.toEqual(a);
  });

  it('discards what it saved, and does not mind when it is gone', async () => {
    const client = await service.connect();
    const trainer = await client.createTrainer({ seed: 1 }, never);
    const path = await trainer.save('a');
    expect((await client.listCheckpoints(never)).map((checkpoint) => checkpoint.tinker_path)).toEqual([path]);
    await trainer.discard(path);
    await trainer.discard(path);
    expect(await client.listCheckpoints(never)).toEqual([]);
  });

  describe('refuses before it sends', () => {
    it.each([
      [
        'a number that is not finite',
        { coefficients: [0, Number.NaN, 1] },
        'Row 0 has NaN among its coefficients, at position 1.',
      ],
      ['arrays of unequal length', { logprobs: [0] }, 'Row 0 has 3 tokens but 1 logprobs.'],
      [
        'a row longer than the context',
        Object.fromEntries(
          ['tokens', 'targets', 'mask', 'logprobs', 'coefficients'].map((key) => [key, new Array(65).fill(0)]),
        ),
        "Row 0 has 65 tokens, but the model's context holds 64.",
      ],
    ])('%s, and does not step on half a batch', async (_, change, message) => {
      const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
      const passing = trainer.forwardBackward([{ ...datum, ...change }], { kind: 'crossEntropy' });
      const stepping = trainer.optimStep(adam);
      await expect(passing).rejects.toMatchObject({ code: 'data', message });
      await expect(stepping).rejects.toThrow(`The optimizer did not step: ${message}`);
      expect(service.engine.calls).toEqual([]);
    });

    it('a loss that the service does not have', async () => {
      const losses = ['cross_entropy'] as const;
      const trainer = await (await service.connect({ losses })).createTrainer({ seed: 1 }, never);
      await expect(trainer.forward([datum], { kind: 'ppo', clipLow: 0.8, clipHigh: 1.2 })).rejects.toMatchObject({
        code: 'config',
        message: 'The service local has no loss ppo.',
        hint: 'It has cross_entropy.',
      });
    });

    it('an entropy bonus where there is none', async () => {
      const trainer = await (await service.connect({ entropy: false })).createTrainer({ seed: 1 }, never);
      const loss = { kind: 'importanceSampling', entropyCoefficient: 0.1 } as const;
      await expect(trainer.forward([datum], loss)).rejects.toThrow('The service local has no entropy bonus.');
    });

    it('a setting of the optimizer that is not finite', async () => {
      const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
      await expect(trainer.optimStep({ ...adam, learningRate: Number.POSITIVE_INFINITY })).rejects.toThrow(
        "The optimizer's learning_rate is Infinity.",
      );
    });
  });

  describe.each([
    ['many in a request', true],
    ['one by one', false],
  ])('samples, %s,', (_, batchesSamples) => {
    const open = async () => {
      const client = await service.connect({ batchesSamples });
      return (await client.createTrainer({ seed: 1 }, never)).policy();
    };

    it('with a result that depends on the seed alone', async () => {
      const policy = await open();
      const alone = await policy.sample(ask, never);
      const together = await Promise.all(
        Array.from({ length: 40 }, (_, seed) => policy.sample({ ...ask, seed }, never)),
      );
      expect(together[3]).toEqual(alone);
      expect(alone.logprobs).toHaveLength(alone.tokens.length);
      expect(new Set(together.map((sample) => sample.tokens.join())).size).toBeGreaterThan(30);
    });

    it('from the weights as they were', async () => {
      const client = await service.connect({ batchesSamples });
      const trainer = await client.createTrainer({ seed: 1 }, never);
      const [old] = await Promise.all([trainer.policy(), trainer.forwardBackward([datum], { kind: 'crossEntropy' })]);
      const before = await old.sample(ask, never);
      await trainer.optimStep({ ...adam, learningRate: 50 });
      expect(await old.sample(ask, never)).toEqual(before);
      expect(await (await trainer.policy()).sample(ask, never)).not.toEqual(before);
    });

    it('and frees the row of an aborted sample', async () => {
      const policy = await open();
      service.engine.holdSamples = true;
      const abort = new AbortController();
      const sampling = policy.sample(ask, abort.signal);
      while (service.engine.samplesHeld === 0) await new Promise(setImmediate);
      const freed = service.engine.nextFreedSample();
      abort.abort();
      await expect(sampling).rejects.toMatchObject({ name: 'AbortError' });
      await freed;
      service.engine.holdSamples = false;
      expect((await policy.sample(ask, never)).tokens).not.toHaveLength(0);
    });

    it('and says which request the service refused', async () => {
      const policy = await open();
      const [good, bad] = await Promise.allSettled([
        policy.sample(ask, never),
        policy.sample({ ...ask, prompt: [999] }, never),
      ]);
      expect(good.status).toBe('fulfilled');
      expect(bad).toMatchObject({
        reason: { code: 'service', status: 400, message: expect.stringContaining('prompt has token 999') },
      });
    });

    it('and fails a sample that the engine could not make', async () => {
      const policy = await open();
      service.engine.sampleFailure = new Error('out of blocks');
      await expect(policy.sample(ask, never)).rejects.toMatchObject({
        message: 'Sample failed: out of blocks.',
        category: 'server',
      });
    });

    it('until the policy is released', async () => {
      const policy = await open();
      await policy.release();
      await policy.release();
      expect(service.engine.liveSnapshots).toBe(0);
      await expect(policy.sample(ask, never)).rejects.toThrow('it was released');
    });
  });

  it('ends whatever is in flight when the client is left', async () => {
    const client = await service.connect();
    const policy = await (await client.createTrainer({ seed: 1 }, never)).policy();
    service.engine.holdSamples = true;
    const sampling = policy.sample(ask, never);
    while (service.engine.samplesHeld === 0) await new Promise(setImmediate);
    client.dispose();
    await expect(sampling).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('keeps to services that it can speak with', async () => {
    const connecting = service.connect({ ...localProfile, name: 'tinker', body: 'proto' });
    await expect(connecting).rejects.toMatchObject({
      code: 'config',
      message: 'The service tinker is not supported yet.',
    });
  });
});
