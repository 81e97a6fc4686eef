import { describe, expect, it } from 'vitest';
import type { LossConfig, LossName } from '../../../src/trainer/engine';
import { tokenLoss } from '../../../src/trainer/losses';

const clip = { clip_low_threshold: 0.8, clip_high_threshold: 1.28 };

function lossOf(name: LossName, config: LossConfig, old: number, current: number, advantage: number) {
  const row = {
    tokens: Int32Array.of(0),
    targets: Int32Array.of(0),
    logprobs: Float32Array.of(old),
    advantages: Float32Array.of(advantage),
  };
  return tokenLoss(name, config, row, 0, current);
}

describe('ppo', () => {
  it.each([
    { old: -1, current: -1, advantage: 1, ratio: 1, loss: -1, flows: true },
    { old: -1, current: -0.7, advantage: 1, ratio: 1.349859, loss: -1.28, flows: false },
    { old: -1, current: -0.7, advantage: -1, ratio: 1.349859, loss: 1.349859, flows: true },
    { old: -1, current: -1.4, advantage: 1, ratio: 0.67032, loss: -0.67032, flows: true },
    { old: -1, current: -1.4, advantage: -1, ratio: 0.67032, loss: 0.8, flows: false },
    { old: -3, current: -0.3, advantage: -1, ratio: 14.879732, loss: 14.879732, flows: true },
  ])('of advantage $advantage at ratio $ratio is $loss', ({ old, current, advantage, ratio, loss, flows }) => {
    const token = lossOf('ppo', clip, old, current, advantage);
    expect(token.ratio).toBeCloseTo(ratio, 5);
    expect(token.loss).toBeCloseTo(loss, 5);
    expect(token.slope).toBeCloseTo(flows ? -ratio * advantage : 0, 5);
    expect(token.clipped).toBe(!flows);
  });
});

describe('cispo', () => {
  it('weighs the log-probability by the bounded ratio and always lets the gradient flow', () => {
    const token = lossOf('cispo', clip, -1.5, -0.6, 1);
    expect(token.ratio).toBeCloseTo(2.459603, 5);
    expect(token.loss).toBeCloseTo(0.768, 6);
    expect(token.slope).toBeCloseTo(-1.28, 6);
    expect(token.clipped).toBe(false);
  });
});

describe('every policy loss', () => {
  it.each(['importance_sampling', 'ppo', 'cispo'] as const)('%s ignores a token of advantage 0', (name) => {
    expect(lossOf(name, clip, 0, -50, 0)).toEqual({ loss: 0, slope: 0, clipped: false, ratio: 0 });
  });

  it('stays finite when trainer and sampler are far apart', () => {
    expect(lossOf('importance_sampling', {}, -90, -1, -1).loss).toBeCloseTo(Math.exp(20), 0);
    expect(lossOf('importance_sampling', {}, -1, -90, -1).loss).toBeCloseTo(Math.exp(-20), 12);
  });
});

describe('cross_entropy', () => {
  it('is the weighted negative log-probability, and nothing at weight 0', () => {
    const row = { tokens: Int32Array.of(0, 0), targets: Int32Array.of(0, 0), weights: Float32Array.of(0.5, 0) };
    expect(tokenLoss('cross_entropy', {}, row, 0, -3)).toMatchObject({ loss: 1.5, slope: -0.5 });
    expect(tokenLoss('cross_entropy', {}, row, 1, -3)).toMatchObject({ loss: 0, slope: 0 });
  });
});
