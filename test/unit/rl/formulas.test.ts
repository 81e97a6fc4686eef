import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { averageAtN, passAtK } from '../../../src/evaluation/estimators';
import { problemInterval, standardError } from '../../../src/evaluation/problemInterval';
import { overlongPenalty, shapedReward } from '../../../src/grading/adjustReward';
import { RetoolError } from '../../../src/lib/errors';
import { mulberry32 } from '../../../src/lib/seed';
import { type AdvantageSettings, groupAdvantages, isDegenerate } from '../../../src/rl/advantages';
import { type Aggregation, rowWeights } from '../../../src/rl/aggregation';
import { toDatum } from '../../../src/rl/datum';
import { boundedRatio } from '../../../src/rl/importanceCorrection';
import { klTerm, ratioOf, sequenceRatio, tokenTerm } from '../../../src/rl/losses';
import { packMicroBatches } from '../../../src/rl/packing';
import { Experiment } from '../../../src/schema/experiment';
import own from '../../support/formulas.json' with { type: 'json' };

const shared = join(import.meta.dirname, '../../../../shared/spec/formulas.json');
const missing = existsSync(shared) ? '' : ' (skipped: ../shared/spec is not beside the checkout)';

const close = (value: number, expected: number) => expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-6);
const allClose = (values: readonly number[], expected: readonly number[]) => {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) close(value, expected[i]!);
};
const lossOf = (loss: Record<string, unknown>) =>
  Experiment.parse({ name: 'x', data: { train: 'x' }, reinforcement: { steps: 1, loss } }).reinforcement.loss;
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

describe('the numbers of the method', () => {
  it.skipIf(missing)(`are those of the specification${missing}`, () => {
    expect(JSON.parse(readFileSync(shared, 'utf8'))).toMatchObject(own);
  });

  it.each(own.ppo)(
    'ppo: A $A, old $old, new $new, c $c gives $loss',
    ({ old, new: now, A, c, ratio, loss, gradFlows }) => {
      const term = tokenTerm(lossOf({ kind: 'ppo', ...(c !== null && { dualClip: c }) }), old, now, A);
      close(ratioOf(now - old).ratio, ratio);
      close(term.loss, loss);
      close(term.slope, gradFlows ? -ratio * A : 0);
      expect(Boolean(term.clipped)).toBe(!gradFlows);
    },
  );

  it.each<[AdvantageSettings['advantage'], number[], number[]]>([
    ['centred', own.group.R, own.group.centered],
    ['standardised', own.group.R, own.group.norm_ddof1],
    ['leaveOneOut', own.group.R, own.group.rloo],
    ['centred', own.phantom.R, own.phantom.centered],
    ['standardised', own.phantom.R, own.phantom.norm],
  ])('advantages: %s of %j', (advantage, rewards, expected) => {
    allClose(groupAdvantages(rewards, { advantage, advantageEpsilon: 1e-6 }), expected);
  });

  it.each(Object.keys(own.float_zero).map(Number))('equal rewards of a group of %i carry no signal', (size) => {
    expect(isDegenerate(Array.from({ length: size }, () => -0.7))).toBe(true);
  });

  it.each<[Aggregation['kind'], number]>([
    ['tokenMean', own.agg.token_mean],
    ['sequenceMeanTokenSum', own.agg.seq_mean_token_sum],
    ['sequenceMeanTokenMean', own.agg.seq_mean_token_mean],
    ['sequenceMeanTokenSumNorm', own.agg.seq_mean_token_sum_norm_T8],
    ['tokenSum', own.agg.token_sum],
  ])('aggregation: %s gives %s', (kind, expected) => {
    const losses = [
      [0.4, 0.2],
      [0.1, 0.1, 0.1, 0.5],
    ];
    const weights = rowWeights([2, 4], { kind, horizon: 8 });
    close(sumOf(losses.flatMap((row, i) => row.map((loss) => loss * weights[i]!))), expected);
  });

  it('micro-batches: a mean over what was sampled, and over what is trained on', () => {
    const mean = (dropped: number) => {
      const uncounted = { rows: dropped, tokens: dropped };
      const weights = rowWeights([1, 1, 1], { kind: 'sequenceMeanTokenSum', horizon: 1, uncounted });
      return sumOf([3, 1, 2].map((loss, i) => loss * weights[i]!));
    };
    close(mean(1), own.microbatch.global_mean_over_N);
    close(mean(1), own.microbatch.weighted);
    close(mean(0), own.microbatch.mean_over_kept);
  });

  it('packing', () => {
    const rows = own.packing.items.map((length) =>
      toDatum([{ tokens: Array.from({ length: length + 1 }, () => 1), logprobs: undefined }], 1),
    );
    const batches = packMicroBatches(rows, { maxDatums: 32, maxPaddedTokens: 64_000 });
    const lengths = batches.map((batch) => batch.map(({ tokens }) => tokens.length));
    expect(lengths).toEqual(own.packing.batches);
    expect(lengths.map((batch) => batch.length * Math.max(...batch))).toEqual(own.packing.padded);
  });

  it.each(Object.entries(own.overlong))('overlong: %s tokens of 20480 cost %s', (tokens, penalty) => {
    close(overlongPenalty(Number(tokens), { limit: 20_480, buffer: 4096, factor: 1 }), penalty);
  });

  it.each(Object.entries(own.overlong_8k))('overlong: %s tokens of 8192 cost %s', (tokens, penalty) => {
    close(overlongPenalty(Number(tokens), { limit: 8192, buffer: 2048, factor: 1 }), penalty);
  });

  it.each(own.shaping)('shaping: $tool_calls calls', ({ tool_calls: calls, recipe, seed_text: old, slime }) => {
    close(shapedReward(-1, calls, { count: 'verl', cap: -0.6 }), recipe);
    close(shapedReward(-1, calls, { count: 'verl', cap: 0 }), old);
    close(shapedReward(-1, calls, { count: 'slime', cap: -0.6 }), slime);
  });

  it('importance weights: truncated, masked, of the sequence, and their geometric mean', () => {
    const gaps = [-0.5 + 0.7, -1 + 0.9, -2 + 3.5, 0];
    const ratios = gaps.map((gap) => ratioOf(gap).ratio);
    const bounded = (mode: 'truncate' | 'mask') => (ratio: number) =>
      boundedRatio(ratio, { level: 'token', mode, low: 0.5, high: 2 });
    allClose(ratios, own.tis.ratio);
    allClose(ratios.map(bounded('truncate')), own.tis.tis_C2);
    allClose(ratios.map(bounded('mask')), own.tis.mis_mask_0p5_2);
    close(ratioOf(sumOf(gaps)).ratio, own.tis.seq_ratio);
    close(bounded('truncate')(ratioOf(sumOf(gaps)).ratio), own.tis.seq_tis_C2);
    close(ratioOf(sumOf(gaps) / 4).ratio, own.tis.geo_mean);
  });

  it('gspo and cispo', () => {
    const [old, now] = [
      [-1, -2, -0.5],
      [-0.8, -2.3, -0.4],
    ];
    allClose(
      old.map((value, t) => ratioOf(now[t]! - value).ratio),
      own.gspo.token_ratios,
    );
    close(sequenceRatio(old, now, [1, 1, 1]).ratio, own.gspo.seq_ratio);
    close(ratioOf(-0.6 + 1.5).ratio, own.cispo.ratio);
    const term = tokenTerm(lossOf({ kind: 'cispo' }), -1.5, -0.6, 1);
    close(term.loss, own.cispo.loss);
    close(-term.slope, own.cispo.clipped);
  });

  it.each(Object.entries(own.passk))('pass@k: %s gives %s', (setting, expected) => {
    const [samples, correct, k] = setting.match(/\d+/g)!.map(Number) as [number, number, number];
    if (expected === null) expect(() => passAtK({ samples, correct }, k)).toThrow(RetoolError);
    else close(passAtK({ samples, correct }, k), expected);
  });

  it('avg@n, pass@n, their standard error and interval over problems', () => {
    const { n: samples, c, ...expected } = own.avg;
    const scores = c.map((correct) => ({ samples, correct }));
    const shares = c.map((correct) => correct / samples);
    close(averageAtN(scores), expected.avg_at_n);
    close(sumOf(scores.map((score) => passAtK(score, samples))) / c.length, expected.pass_at_n);
    close(standardError(shares)!, expected.se_over_problems);
    const { low, high } = problemInterval(shares);
    close(low, expected.boot_lo);
    close(high, expected.boot_hi);
  });

  it('the draws of a bootstrap', () => {
    const random = mulberry32(own.avg.seed);
    const draws = [random(), random(), random()];
    allClose(draws, [0.601104, 0.448291, 0.852466]);
    close(draws[0]!, own.avg.first_rng[0]!);
  });

  it.each(['k1', 'k2', 'k3'] as const)('distance: %s', (estimator) => {
    close(klTerm(estimator, -1.2, -0.9).loss, own.kl[estimator]);
  });
});
