import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import { type Aggregation, rowWeights } from '../../../src/rl/aggregation';
import { forwardBackwardCustom, type WeightedDatum } from '../../../src/rl/customLoss';
import { policyLossAndGradient } from '../../../src/rl/losses';
import type { Loss, Trainer } from '../../../src/rl/ports';
import { Experiment } from '../../../src/schema/experiment';
import type { Reduction } from '../../../src/services/reduction';
import { ScriptedServer } from '../../support/scriptedServer';

const never = new AbortController().signal;
const adam = { learningRate: 0.3, beta1: 0.9, beta2: 0.9, epsilon: 1, weightDecay: 0, gradientClip: 0 };
const reductions: Reduction[] = ['sum', 'meanOverRows', 'meanOverTokens', 'meanOverRowsOfTokenMeans'];
const ppo: Loss = { kind: 'ppo', clipLow: 0.8, clipHigh: 1.28 };

/** Rows of 1 to 9 trained tokens among 12, weighed as an aggregation says. */
function rows(seed: number, kind: Aggregation['kind']): WeightedDatum[] {
  const random = mulberry32(seed);
  const draw = (make: () => number) => Array.from({ length: 12 }, make);
  const lengths = Array.from({ length: 9 }, () => 1 + Math.floor(random() * 9));
  const weights = rowWeights(lengths, { kind, horizon: 12 });
  return lengths.map((length, row) => {
    const mask = Array.from({ length: 12 }, (_, t) => Number(t >= 2 && t < 2 + length));
    const advantage = random() - 0.5;
    return {
      tokens: draw(() => Math.floor(random() * 272)),
      targets: draw(() => Math.floor(random() * 272)),
      mask,
      logprobs: mask.map((trained) => (trained ? -5.6 + 1.2 * (random() - 0.5) : 0)),
      coefficients: mask.map((trained) => trained * advantage * weights[row]!),
      weight: weights[row]!,
    };
  });
}

describe('a service that reduces losses in its own way', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    service = await ScriptedServer.start();
  });
  afterEach(() => service.close());

  const weightsAfter = async (reduction: Reduction, limit: number, train: (trainer: Trainer) => Promise<unknown>) => {
    service.engine.reduction = reduction;
    const client = await service.connect({ reduction, limits: { samples: 8, datums: limit } });
    const trainer = await client.createTrainer({ seed: 1 }, never);
    await train(trainer);
    await trainer.optimStep(adam);
    const targets = Array.from({ length: 64 }, (_, token) => token * 4);
    const zeros = targets.map(() => 0);
    const probe = { tokens: zeros, targets, mask: zeros, logprobs: zeros, coefficients: zeros };
    return (await trainer.forward([probe], { kind: 'crossEntropy' })).logprobs![0]!;
  };
  const distance = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));
  /** Splits in calls of random sizes. */
  const split = (all: readonly WeightedDatum[], seed: number) => {
    const random = mulberry32(seed);
    const calls: WeightedDatum[][] = [];
    for (let at = 0; at < all.length; ) {
      const size = 1 + Math.floor(random() * 4);
      calls.push(all.slice(at, at + size));
      at += size;
    }
    return calls;
  };

  it.each(reductions)('by %s, learns the same from any split of an update', async (reduction) => {
    for (const [seed, kind] of (['tokenMean', 'sequenceMeanTokenSum', 'sequenceMeanTokenMean'] as const).entries()) {
      const all = rows(seed + 3, kind);
      const whole = await weightsAfter('sum', 1024, (trainer) => trainer.forwardBackward(all, ppo, all.length));
      const untrained = await weightsAfter('sum', 1024, async () => undefined);
      expect(distance(whole, untrained)).toBeGreaterThan(1e-3);
      for (const limit of [1024, 2]) {
        const parts = await weightsAfter(reduction, limit, async (trainer) => {
          for (const call of split(all, seed + limit)) await trainer.forwardBackward(call, ppo, all.length);
        });
        expect(distance(parts, whole)).toBeLessThan(2e-6);
      }
    }
  });

  it.each(reductions.slice(0, 3))('by %s, learns the same from a loss that is computed here', async (reduction) => {
    const { loss } = Experiment.parse({
      name: 'x',
      data: { train: 'x' },
      reinforcement: { steps: 1, loss: { kind: 'gspo', clipLow: 0.9, clipHigh: 1.1 } },
    }).reinforcement;
    const gspo = policyLossAndGradient(loss);
    const all = rows(7, 'sequenceMeanTokenMean');
    const whole = await weightsAfter('sum', 1024, (trainer) => forwardBackwardCustom(trainer, all, gspo, all.length));
    const parts = await weightsAfter(reduction, 3, async (trainer) => {
      for (const call of split(all, 1)) await forwardBackwardCustom(trainer, call, gspo, all.length);
    });
    expect(distance(parts, whole)).toBeLessThan(2e-6);
  });

  it('that divides cross-entropy by its weights offers none, and refuses one', async () => {
    const client = await service.connect({ reduction: 'meanOverRowsOfTokenMeans' });
    expect(client.offers).toEqual({ losses: ['importanceSampling', 'ppo', 'cispo'], entropy: false });
    const trainer = await client.createTrainer({ seed: 1 }, never);
    await expect(trainer.forwardBackward(rows(1, 'tokenMean'), { kind: 'crossEntropy' })).rejects.toThrow(
      'This service divides the cross-entropy of a row by its weights.',
    );
    await expect(trainer.optimStep(adam)).rejects.toThrow('The optimizer did not step');
  });

  it('gets its entropy bonus in the same measure', async () => {
    const loss: Loss = { ...ppo, entropyCoefficient: 0.01 };
    const trainer = await (await service.connect({ reduction: 'meanOverRows' })).createTrainer({ seed: 1 }, never);
    await trainer.forwardBackward(rows(1, 'tokenMean'), loss);
    expect(service.engine.lastConfig.entropy_coef).toBeCloseTo(0.09, 12);
  });

  it.each(reductions)('by %s, is found out when connecting, on models that are thrown away', async (reduction) => {
    service.engine.reduction = reduction;
    const measured = await service.connect({ reduction: 'measured' });
    expect(service.engine.liveModels).toBe(0);
    const expected = await service.connect({ reduction });
    const trained = async (client: typeof measured) => {
      const trainer = await client.createTrainer({ seed: 1 }, never);
      const all = rows(1, 'tokenMean');
      await trainer.forwardBackward(all.slice(0, 4), ppo, all.length);
      await trainer.forwardBackward(all.slice(4), ppo, all.length);
      await trainer.optimStep(adam);
      return (await trainer.forward(all, { kind: 'crossEntropy' })).logprobs;
    };
    expect(measured.offers).toEqual(expected.offers);
    expect(await trained(measured)).toEqual(await trained(expected));
  });

  it('that is not known is refused with what was measured', async () => {
    service.engine.reduction = 'meanOfMeans';
    await expect(service.connect({ reduction: 'measured' })).rejects.toMatchObject({
      code: 'service',
      message: 'The service reduces losses in a way that is not known (tokens 0.50, rows 0.50, calls 1.00).',
    });
  });
});
