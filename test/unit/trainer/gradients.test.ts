import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import type { LossConfig, LossName, TrainingRow } from '../../../src/trainer/engine';
import { initializeWeights, modelLayout } from '../../../src/trainer/layout';
import { tokenLoss } from '../../../src/trainer/losses';
import { TrainingPass } from '../../../src/trainer/trainingPass';
import { loadKernels, randomTokens } from '../../support/localEngine';

const shape = { vocabulary: 11, width: 16, layers: 2, heads: 2, context: 32 };
const layout = modelLayout(shape);
const pass = new TrainingPass(await loadKernels(), shape, layout);
const weights = new Float32Array(layout.size);
initializeWeights(layout, 5, weights);
// A fresh model is close to uniform; larger tables make every term of the gradient visible.
for (const { offset, size } of [layout.token, layout.previous, layout.before]) {
  for (let i = offset; i < offset + size; i++) weights[i]! *= 6;
}
pass.load(weights);

const lengths = [19, 3, 1, 17];

/** Of the tokens some are masked, the others at ratios well inside or well outside of the clip. */
function makeRows(): TrainingRow[] {
  const random = mulberry32(9);
  const plain = lengths.map((length, index) => {
    const tokens = randomTokens(length + 1, 50 + index, shape.vocabulary);
    return { tokens: tokens.slice(0, -1), targets: tokens.slice(1) };
  });
  const now = pass.run(plain, 'cross_entropy', {}, undefined);
  return plain.map((row, index) => ({
    ...row,
    logprobs: now[index]!.logprobs.map((logprob) => logprob + [-0.6, -0.1, 0, 0.1, 0.6][Math.floor(random() * 5)]!),
    advantages: Float32Array.from(row.targets, () => [0, 1, -1, 0.3][Math.floor(random() * 4)]!),
  }));
}

const rows = makeRows();
const clip = { clip_low_threshold: 0.8, clip_high_threshold: 1.28 };

function gradientOf(rows: readonly TrainingRow[], name: LossName, config: LossConfig): Float32Array {
  const gradient = new Float32Array(layout.size);
  pass.run(rows, name, config, { data: gradient, isEmpty: true });
  return gradient;
}

/** Central differences of the loss with respect to every weight. */
function differences(rows: readonly TrainingRow[], name: LossName, config: LossConfig): Float64Array {
  const lossAt = (index: number, value: number) => {
    const moved = weights.slice();
    moved[index] = value;
    pass.load(moved);
    return pass.run(rows, name, config, undefined).reduce((sum, row) => sum + row.loss, 0);
  };
  const step = 4e-3;
  const result = new Float64Array(layout.size);
  for (let i = 0; i < layout.size; i++) {
    const [up, down] = [Math.fround(weights[i]! + step), Math.fround(weights[i]! - step)];
    result[i] = (lossAt(i, up) - lossAt(i, down)) / (up - down);
  }
  pass.load(weights);
  return result;
}

function expectEqualPerTensor(gradient: Float32Array, expected: Float64Array): void {
  for (const { name, offset, size } of layout.all) {
    let [error, norm] = [0, 0];
    for (let i = offset; i < offset + size; i++) {
      error += (gradient[i]! - expected[i]!) ** 2;
      norm += expected[i]! ** 2;
    }
    expect(norm, name).toBeGreaterThan(0);
    expect(Math.sqrt(error / norm), name).toBeLessThan(5e-3);
  }
}

describe('the gradient equals finite differences on every tensor', () => {
  it('of weighted cross-entropy', () => {
    const weighted = rows.map((row) => ({ ...row, weights: row.advantages! }));
    expectEqualPerTensor(gradientOf(weighted, 'cross_entropy', {}), differences(weighted, 'cross_entropy', {}));
  });

  it('of importance sampling with an entropy bonus', () => {
    const config = { entropy_coef: 0.3 };
    expectEqualPerTensor(
      gradientOf(rows, 'importance_sampling', config),
      differences(rows, 'importance_sampling', config),
    );
  });

  it('of ppo, with tokens inside and outside of the clip', () => {
    const clipped = pass.run(rows, 'ppo', clip, undefined).reduce((sum, row) => sum + row.clipped, 0);
    expect(clipped).toBeGreaterThan(2);
    expectEqualPerTensor(gradientOf(rows, 'ppo', clip), differences(rows, 'ppo', clip));
  });

  it('of cispo, whose ratio is a constant', () => {
    const outputs = pass.run(rows, 'cispo', clip, undefined);
    const frozen = rows.map((row, index) => ({
      tokens: row.tokens,
      targets: row.targets,
      weights: row.advantages!.map((_, t) => -tokenLoss('cispo', clip, row, t, outputs[index]!.logprobs[t]!).slope),
    }));
    expectEqualPerTensor(
      gradientOf(rows, 'cispo', { ...clip, entropy_coef: 0.1 }),
      differences(frozen, 'cross_entropy', { entropy_coef: 0.1 }),
    );
  });
});

describe('a masked token', () => {
  it('adds nothing to the gradient, whatever its target and log-probability', () => {
    const changed = rows.map((row) => ({
      ...row,
      targets: row.targets.map((target, t) => (row.advantages![t] === 0 ? (target + 1) % shape.vocabulary : target)),
      logprobs: row.logprobs!.map((logprob, t) => (row.advantages![t] === 0 ? -30 : logprob)),
    }));
    expect(gradientOf(changed, 'ppo', clip)).toEqual(gradientOf(rows, 'ppo', clip));
  });

  it('leaves no gradient at all when every token is masked', () => {
    const silent = rows.map((row) => ({ ...row, advantages: row.advantages!.map(() => 0) }));
    expect(gradientOf(silent, 'ppo', { ...clip, entropy_coef: 1 }).every((value) => value === 0)).toBe(true);
  });
});

describe('the gradient of a call', () => {
  it('adds to the gradient of the calls before it', () => {
    const twice = new Float32Array(layout.size);
    pass.run(rows, 'ppo', clip, { data: twice, isEmpty: true });
    pass.run(rows, 'ppo', clip, { data: twice, isEmpty: false });
    for (const [i, value] of gradientOf(rows, 'ppo', clip).entries()) expect(twice[i]).toBeCloseTo(2 * value, 4);
  });
});
