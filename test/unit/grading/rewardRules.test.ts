import { describe, expect, it } from 'vitest';
import { overlongPenalty, shapedReward } from '../../../src/grading/adjustReward';
import { checkCases, checkRule } from '../../../src/grading/checkRule';
import { createRule, type RewardSettings } from '../../../src/grading/createRule';
import { goldCases } from '../../../src/grading/goldCases';
import { Experiment, RewardRuleName } from '../../../src/schema/experiment';
import type { StopReason, Turn } from '../../../src/schema/trajectory';

const turn = (text: string): Turn => ({ tokens: [], logprobs: [], text, added: [], seconds: 0 });
const settings = (own: Partial<RewardSettings>): RewardSettings => ({ ...Experiment.shape.reward.parse({}), ...own });
const grade = (own: Partial<RewardSettings>, gold: string, texts: string[], stop: StopReason = 'answered') =>
  createRule(settings(own)).grade({ gold, turns: texts.map(turn), stop });

describe('each reward rule', () => {
  it.each(RewardRuleName.options)('%s passes its own test', (rule) => {
    expect(goldCases[rule].length).toBeGreaterThan(2);
    expect(() => checkRule({ rule })).not.toThrow();
  });

  it('is refused with a sentence when its test fails', () => {
    const rule = createRule(settings({ rule: 'dapo-strict-box-100-eq' }));
    expect(() => checkCases(rule, goldCases['last-box-math'])).toThrow(
      /^The reward rule dapo-strict-box-100-eq fails its own test: /,
    );
  });
});

describe('any rule', () => {
  it('reads the last turn alone', () => {
    expect(grade({}, '5', ['\\boxed{5}', 'so it is 5'])).toMatchObject({
      verdict: 'incorrect',
      formatted: false,
      predicted: null,
    });
    expect(grade({}, '5', ['\\boxed{4}', '\\boxed{5}'])).toMatchObject({ verdict: 'correct' });
    expect(grade({}, '5', [])).toMatchObject({ verdict: 'incorrect', formatted: false });
  });

  it.each(['turnTokens', 'trajectoryTokens', 'turnLimit', 'callLimit', 'malformedCall', 'infrastructure'] as const)(
    'calls nothing correct after the stop %s',
    (stop) => {
      for (const rule of RewardRuleName.options) {
        expect(grade({ rule }, '5', ['\\boxed{5}'], stop)).toMatchObject({ verdict: 'incorrect', predicted: null });
      }
    },
  );

  it('leaves out the control tokens that end a turn', () => {
    const answer = `\\boxed{5}${'y'.repeat(91)}<|im_end|>`;
    expect(grade({ rule: 'dapo-strict-box-100-eq' }, '5', [answer])).toMatchObject({ verdict: 'correct' });
  });

  it('gives the rewards that it was told and says what they are made of', () => {
    expect(grade({ correct: 2, incorrect: 0 }, '1', ['\\boxed{1}']).reward).toBe(2);
    const shaped = grade({ adjustments: [{ kind: 'format', boxed: 0.25, missing: -0.5 }] }, '1', ['\\boxed{2}']);
    expect(shaped).toMatchObject({
      reward: -0.75,
      parts: [
        { name: 'answer', reward: -1 },
        { name: 'format', reward: 0.25 },
      ],
    });
  });

  it('composes adjustments in their order', () => {
    const own = {
      adjustments: [
        { kind: 'format', boxed: 0, missing: -0.1 },
        { kind: 'overlong', limit: 10, buffer: 5, factor: 1 },
      ],
    } satisfies Partial<RewardSettings>;
    const rule = createRule(settings(own));
    const long: Turn = { ...turn('5'), tokens: [1, 2, 3, 4], added: [5, 6, 7, 8] };
    expect(rule.grade({ gold: '5', turns: [long], stop: 'answered' }).reward).toBeCloseTo(-1.7);
  });
});

/** Worked out by hand from the formulas: calls, then verl capped at -0.6, verl capped at 0, slime. */
it.each([
  [0, -1, -1, -1.1],
  [1, -0.9, -0.9, -1.05],
  [2, -0.8, -0.8, -1],
  [4, -0.6, -0.6, -0.9],
  [6, -0.6, -0.4, -0.8],
  [10, -0.6, 0, -0.6],
])('shapes -1 after %d calls to %d, %d and %d', (calls, capped, old, slime) => {
  expect(shapedReward(-1, calls, { count: 'verl', cap: -0.6 })).toBeCloseTo(capped, 12);
  expect(shapedReward(-1, calls, { count: 'verl', cap: 0 })).toBeCloseTo(old, 12);
  expect(shapedReward(-1, calls, { count: 'slime', cap: -0.6 })).toBeCloseTo(slime, 12);
});

it.each([
  [16_000, 0],
  [16_384, 0],
  [17_408, -0.25],
  [18_432, -0.5],
  [20_480, -1],
])('takes for %d tokens of 20480 %d', (tokens, penalty) => {
  expect(overlongPenalty(tokens, { limit: 20_480, buffer: 4096, factor: 1 })).toBeCloseTo(penalty, 12);
});
