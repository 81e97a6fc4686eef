import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import { forwardBackwardCustom, type LossAndGradient, type WeightedDatum } from '../../../src/rl/customLoss';
import type { Loss, Trainer } from '../../../src/rl/ports';
import { ScriptedServer } from '../../support/scriptedServer';

const never = new AbortController().signal;
const adam = { learningRate: 0.3, beta1: 0.9, beta2: 0.9, epsilon: 1, weightDecay: 0, gradientClip: 0 };

/** Rows whose ratios lie on both sides of the clip, with advantages of both signs. */
function batch(): WeightedDatum[] {
  const random = mulberry32(11);
  const draw = (make: () => number) => Array.from({ length: 12 }, make);
  return Array.from({ length: 8 }, () => ({
    tokens: draw(() => Math.floor(random() * 272)),
    targets: draw(() => Math.floor(random() * 272)),
    mask: draw(() => 1),
    logprobs: draw(() => -5.6 + 1.2 * (random() - 0.5)),
    coefficients: draw(() => random() - 0.5),
    weight: 1,
  }));
}

const policyGradient =
  (slope: (ratio: number, advantage: number) => number): LossAndGradient =>
  (logprobs, datums) => ({
    gradient: datums.map((datum, row) =>
      datum.coefficients.map((advantage, t) => slope(Math.exp(logprobs[row]![t]! - datum.logprobs[t]!), advantage)),
    ),
    metrics: { 'custom:sum': 1 },
  });

describe('a loss that runs on the client', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    service = await ScriptedServer.start();
  });
  afterEach(() => service.close());

  const weightsAfter = async (train: (trainer: Trainer) => Promise<unknown>): Promise<readonly number[]> => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    await train(trainer);
    await trainer.optimStep(adam);
    const targets = Array.from({ length: 64 }, (_, token) => token * 4);
    const zeros = targets.map(() => 0);
    const probe = { tokens: zeros, targets, mask: zeros, logprobs: zeros, coefficients: zeros };
    return (await trainer.forward([probe], { kind: 'crossEntropy' })).logprobs![0]!;
  };

  it.each<[string, Loss, LossAndGradient]>([
    ['importance sampling', { kind: 'importanceSampling' }, policyGradient((ratio, advantage) => -ratio * advantage)],
    [
      'PPO',
      { kind: 'ppo', clipLow: 0.8, clipHigh: 1.28 },
      policyGradient((ratio, advantage) => {
        const clipped = Math.min(Math.max(ratio, 0.8), 1.28);
        return clipped * advantage < ratio * advantage ? 0 : -ratio * advantage;
      }),
    ],
  ])('reproduces the built-in gradient of %s', async (_, loss, custom) => {
    const builtIn = await weightsAfter((trainer) => trainer.forwardBackward(batch(), loss));
    const own = await weightsAfter((trainer) => forwardBackwardCustom(trainer, batch(), custom));
    const untrained = await weightsAfter(async () => undefined);
    const distance = (a: readonly number[], b: readonly number[]) => Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));
    expect(distance(own, builtIn)).toBeLessThan(1e-6);
    expect(distance(untrained, builtIn)).toBeGreaterThan(1e-2);
  });

  it('reports its own metrics and the log-probabilities that it saw', async () => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    const { logprobs } = await trainer.forward(batch(), { kind: 'crossEntropy' });
    const result = await forwardBackwardCustom(
      trainer,
      batch(),
      policyGradient(() => 0),
    );
    expect(result).toEqual({ logprobs, metrics: { 'custom:sum': 1 } });
  });

  it('is refused when its derivative is not finite', async () => {
    const trainer = await (await service.connect()).createTrainer({ seed: 1 }, never);
    const passing = forwardBackwardCustom(
      trainer,
      batch(),
      policyGradient(() => Number.NaN),
    );
    await expect(passing).rejects.toThrow('Row 0 has NaN among its coefficients, at position 0.');
  });
});
