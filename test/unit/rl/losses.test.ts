import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import { rowWeights } from '../../../src/rl/aggregation';
import type { WeightedDatum } from '../../../src/rl/customLoss';
import { boundedRatio, correctRow } from '../../../src/rl/importanceCorrection';
import { klTerm, type LossSettings, policyLossAndGradient, sequenceRatio, tokenTerm } from '../../../src/rl/losses';
import { Experiment } from '../../../src/schema/experiment';

const settingsOf = (loss: Record<string, unknown>): LossSettings =>
  Experiment.parse({ name: 'x', data: { train: 'x' }, reinforcement: { steps: 1, loss } }).reinforcement.loss;

describe('dual clip', () => {
  it.each([
    [10, 10],
    [3, 3],
    [undefined, 14.879732],
  ])('of c = %s bounds the loss of a negative advantage at %s', (dualClip, loss) => {
    const term = tokenTerm(settingsOf({ kind: 'ppo', dualClip }), -3, -0.3, -1);
    expect(term.loss).toBeCloseTo(loss, 6);
    expect(term.slope).toBeCloseTo(dualClip ? 0 : 14.879732, 6);
    expect(term.clipped).toBe(dualClip ? 'dual' : false);
  });

  it('leaves a positive advantage alone', () => {
    expect(tokenTerm(settingsOf({ kind: 'ppo', dualClip: 10 }), -4, -0.5, 1)).toEqual({
      loss: -1.28,
      slope: 0,
      clipped: 'ratio',
    });
  });
});

describe('the ratio', () => {
  it('of a whole trajectory is the geometric mean of those of its trained tokens', () => {
    const { ratio } = sequenceRatio([-1, -2, -9, -0.5], [-0.8, -2.3, -1, -0.4], [1, 1, 0, 1]);
    expect(ratio).toBeCloseTo(1, 12);
  });

  it('stays finite where a policy has drifted out of sight, and is constant there', () => {
    const term = tokenTerm(settingsOf({ kind: 'importanceSampling' }), -1000, -1, -1);
    expect(term).toEqual({ loss: Math.exp(20), slope: 0, clipped: false });
  });
});

describe('the distance from a reference', () => {
  it.each([
    ['k1', -0.3],
    ['k2', 0.045],
    ['k3', 0.049859],
  ] as const)('by %s of -1.2 against -0.9 is %s', (estimator, value) => {
    expect(klTerm(estimator, -1.2, -0.9).loss).toBeCloseTo(value, 6);
  });
});

describe('derivatives', () => {
  const random = mulberry32(5);
  const rows: WeightedDatum[] = Array.from({ length: 12 }, () => {
    const draw = (make: () => number) => Array.from({ length: 7 }, make);
    const mask = draw(() => Number(random() < 0.7));
    const advantage = 2 * random() - 1;
    const weight = 0.1 + random();
    return {
      tokens: draw(() => 0),
      targets: draw(() => 0),
      mask,
      logprobs: mask.map((trained) => (trained ? -2 * random() : 0)),
      coefficients: mask.map((trained) => trained * advantage * weight),
      weight,
      reference: draw(() => -2 * random()),
    };
  });
  const now = rows.map(({ logprobs }) => logprobs.map((old) => old + 1.6 * (random() - 0.5)));

  it.each<[string, Record<string, unknown>]>([
    ['importance sampling', { kind: 'importanceSampling' }],
    ['ppo', { kind: 'ppo' }],
    ['ppo with dual clip', { kind: 'ppo', dualClip: 1.5 }],
    ['gspo', { kind: 'gspo', clipLow: 0.9, clipHigh: 1.1 }],
    ['ppo with k1', { kind: 'ppo', kl: { coefficient: 0.3, estimator: 'k1' } }],
    ['ppo with k2', { kind: 'ppo', kl: { coefficient: 0.3, estimator: 'k2' } }],
    ['gspo with k3', { kind: 'gspo', kl: { coefficient: 0.3, estimator: 'k3' } }],
  ])('of %s are what finite differences give', (_, loss) => {
    const objective = policyLossAndGradient(settingsOf(loss));
    const { gradient } = objective(now, rows);
    const step = 1e-6;
    let moved = 0;
    for (const [row, logprobs] of now.entries()) {
      for (const t of logprobs.keys()) {
        const at = (delta: number) => {
          const shifted = now.map((each, i) => each.map((value, u) => (i === row && u === t ? value + delta : value)));
          return objective(shifted, rows).metrics['loss:sum']!;
        };
        const slope = (at(step) - at(-step)) / (2 * step);
        expect(gradient[row]![t]).toBeCloseTo(slope, 6);
        if (slope !== 0) moved += 1;
        if (!rows[row]!.mask[t]) expect(gradient[row]![t]).toBe(0);
      }
    }
    expect(moved).toBeGreaterThan(10);
  });

  it('of cispo are those of the log-probability, its ratio taken for a constant', () => {
    expect(tokenTerm(settingsOf({ kind: 'cispo' }), -1.5, -0.6, 1).loss).toBeCloseTo(0.768, 6);
    expect(tokenTerm(settingsOf({ kind: 'cispo' }), -1.5, -0.6, 1).slope).toBe(-1.28);
  });
});

describe('what an update takes of its tokens', () => {
  const losses = [
    [0.4, 0.2],
    [0.1, 0.1, 0.1, 0.5],
  ];
  const reduced = (kind: LossSettings['aggregation']) => {
    const weights = rowWeights([2, 4], { kind, horizon: 8 });
    return losses.flatMap((row, i) => row.map((loss) => loss * weights[i]!)).reduce((sum, loss) => sum + loss, 0);
  };

  it.each([
    ['tokenMean', 0.233333],
    ['sequenceMeanTokenSum', 0.7],
    ['sequenceMeanTokenMean', 0.25],
    ['sequenceMeanTokenSumNorm', 0.175],
    ['tokenSum', 1.4],
  ] as const)('by %s is %s', (kind, value) => {
    expect(Math.abs(reduced(kind) - value)).toBeLessThan(1e-6);
  });

  it('counts rows that were sampled and dropped, where a mean is over these too', () => {
    const weights = rowWeights([1, 1, 1], {
      kind: 'sequenceMeanTokenSum',
      horizon: 1,
      uncounted: { rows: 1, tokens: 9 },
    });
    expect([3, 1, 2].reduce((sum, loss, i) => sum + loss * weights[i]!, 0)).toBe(1.5);
  });

  it('gives a row without a trained token nothing', () => {
    expect(rowWeights([0, 2], { kind: 'sequenceMeanTokenMean', horizon: 1 })).toEqual([0, 0.25]);
  });
});

describe('the correction for a sampler with other probabilities', () => {
  const trainer = [0, -0.5, -1, -2, -0.1];
  const datum = {
    tokens: [0, 0, 0, 0, 0],
    targets: [0, 0, 0, 0, 0],
    mask: [0, 1, 1, 1, 1],
    logprobs: [0, -0.7, -0.9, -3.5, -0.1],
    coefficients: [0, 1, 1, 1, 1],
  };
  const weights = (level: 'token' | 'sequence' | 'geometric', mode: 'truncate' | 'mask') =>
    correctRow(datum, trainer, { level, mode, low: 0.5, high: 2 });

  it.each([
    ['token', 'truncate', [1.221403, 0.904837, 2, 1]],
    ['token', 'mask', [1.221403, 0.904837, 0, 1]],
    ['sequence', 'truncate', [2, 2, 2, 2]],
    ['sequence', 'mask', [0, 0, 0, 0]],
    ['geometric', 'truncate', [1.491825, 1.491825, 1.491825, 1.491825]],
  ] as const)('by %s, %s, weighs with %s', (level, mode, expected) => {
    const { datum: corrected } = weights(level, mode);
    expect(corrected.coefficients[0]).toBe(0);
    for (const [t, value] of expected.entries()) {
      expect(Math.abs(corrected.coefficients[t + 1]! - value)).toBeLessThan(1e-6);
    }
    expect(corrected.logprobs).toEqual(trainer);
  });

  it('counts what it bounded, and how far the two were apart', () => {
    const row = weights('token', 'truncate');
    expect(row.bounded).toBe(1);
    expect(row.gapMax).toBeCloseTo(1.5, 12);
    expect(row.gapSum).toBeCloseTo(0.2 + 0.1 + 1.5, 12);
    expect(boundedRatio(4.953032, { level: 'token', mode: 'truncate', low: 0.5, high: 2 })).toBe(2);
  });
});
