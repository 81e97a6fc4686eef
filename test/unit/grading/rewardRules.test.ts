import { describe, expect, it } from 'vitest';
import { overlongPenalty, shapedReward } from '../../../src/grading/adjustReward';
import { checkCases, checkRule } from '../../../src/grading/checkRule';
import { createRule, type RewardSettings, rewardsOf } from '../../../src/grading/createRule';
import { goldCases } from '../../../src/grading/goldCases';
import { Experiment } from '../../../src/schema/experiment';
import { RewardRuleName } from '../../../src/schema/reward';
import type { StopReason, ToolStatus, Turn } from '../../../src/schema/trajectory';
import { okResult } from '../../support/scriptedService';

const turn = (text: string): Turn => ({ tokens: [], logprobs: [], text, added: [], seconds: 0 });
const settings = (own: Partial<RewardSettings>): RewardSettings => ({ ...Experiment.shape.reward.parse({}), ...own });
const grade = (own: Partial<RewardSettings>, gold: string, texts: string[], stop: StopReason = 'answered') =>
  createRule(settings(own)).grade({ gold, turns: texts.map(turn), stop });

describe('each reward rule', () => {
  it.each(RewardRuleName.options)('%s passes its own test', (rule) => {
    expect(goldCases[rule].length).toBeGreaterThan(2);
    expect(() => checkRule({ rule, adjustments: [] })).not.toThrow();
  });

  it('is refused with a sentence when its test fails', () => {
    const rule = createRule(settings({ rule: 'dapo-strict-box-100-eq' }));
    expect(() => checkCases(rule, goldCases['last-box-math'])).toThrow(
      /^The reward rule dapo-strict-box-100-eq fails its own test: /,
    );
  });
});

const filler = (characters: number) => 'y'.repeat(characters);
const called = (status: ToolStatus): Turn => ({
  ...turn('<code>'),
  code: 'print(1)',
  result: { ...okResult(''), status },
});

/** A table of its own beside `goldCases`: what each system pays for an answer to 5, after calls that ended so. */
it.each<[RewardRuleName, string, readonly ToolStatus[], number, boolean?]>([
  ['box-300-math', `\\boxed{5}${filler(292)}`, [], -1, false],
  ['box-300-math', `\\boxed{5}${filler(291)}`, [], 1],
  ['box-300-math', `\\boxed{5.0}${filler(280)}`, [], 1],
  ['box-300-math', '\\boxed{10/2}', [], 1],
  ['box-300-math', '5', [], -1, false],
  ['dapo-strict-box-100-eq', `\\boxed{5}${filler(91)}`, [], 1],
  ['dapo-strict-box-100-eq', `\\boxed{5}${filler(92)}`, [], -1, false],
  ['dapo-strict-box-100-eq', '\\boxed {5}', [], -1, false],
  ['dapo-strict-box-100-eq', '\\boxed{\\boxed{5}}', [], 1],
  ['dapo-strict-box-100-eq', '\\boxed{5.}', [], -1],
  ['retool-eval', 'The answer is 5.', [], 1, false],
  ['retool-eval', 'First 5\nthen 6', [], -1, false],
  ['retool-eval', '\\boxed{6}\n5', [], -1],
  ['retool-eval', 'no number', [], -1, false],
  ['torl', '\\boxed{5}', ['error'], 1],
  ['torl', '\\boxed{6}', [], -1],
  ['torl-execution-penalty', '\\boxed{5}', [], 0.5],
  ['torl-execution-penalty', '\\boxed{5}', ['ok', 'timeout'], 0.5],
  ['torl-execution-penalty', '\\boxed{5}', ['timeout', 'ok'], 1],
  ['torl-execution-penalty', '\\boxed{6}', ['ok'], -1],
  ['torl-format', '\\boxed{6}', [], -0.5],
  ['torl-format', '6', [], -1, false],
  ['verl-retool', '\\boxed{5}', ['ok', 'ok', 'ok'], 1],
  ['verl-retool', '\\boxed{6}', ['ok', 'error', 'ok'], -0.7],
  ['verl-retool', '6', ['ok', 'ok', 'ok', 'ok', 'ok'], -0.6, false],
  ['verl-retool-cap-0', '\\boxed{6}', ['ok', 'ok', 'ok', 'ok', 'ok'], -0.5],
  ['slime-retool', '\\boxed{6}', ['ok'], -1.05],
  ['slime-retool', '\\boxed{6}', [], -1.1],
  ['tinker-format', '\\boxed{5}', [], 1],
  ['tinker-format', '\\boxed{6}', [], 0],
  ['tinker-format', '5', [], -0.1, false],
])('%s pays for %j after %j %d', (rule, answer, calls, reward, formatted = true) => {
  const grade = createRule({ rule, adjustments: [] }).grade({
    gold: '5',
    turns: [...calls.map(called), turn(answer)],
    stop: 'answered',
  });
  expect(grade.reward).toBeCloseTo(reward, 12);
  expect(grade.formatted).toBe(formatted);
});

it('shapes by the calls that were executed', () => {
  const refused: Turn = { ...turn('<code>'), code: 'print(1)' };
  const turns = [called('ok'), called('ok'), refused];
  const rewardOf = (rule: RewardRuleName) =>
    createRule({ rule, adjustments: [] }).grade({ gold: '5', turns, stop: 'callLimit' }).reward;
  expect(rewardOf('verl-retool')).toBeCloseTo(-0.8, 12);
  expect(rewardOf('slime-retool')).toBeCloseTo(-1, 12);
});

describe('a composition', () => {
  it.each<[string, Partial<RewardSettings>]>([
    ['a wrong answer in a box', { adjustments: [{ kind: 'format', boxed: 2, missing: 0 }] }],
    ['an answer without a box', { adjustments: [{ kind: 'format', boxed: 0, missing: 2 }] }],
    ['many calls', { adjustments: [{ kind: 'toolShaping', count: 'verl', cap: 1 }], correct: 0.2 }],
    ['wrong answers', { correct: -1, incorrect: -1 }],
  ])('that pays for %s what it pays for a right one is refused', (_, own) => {
    expect(() => checkRule(settings(own))).toThrow(/^The reward settings pay (a wrong|an) answer /);
  });

  it('takes the rewards of its rule where it names none', () => {
    expect(rewardsOf({ rule: 'tinker-format' })).toEqual({ correct: 1, incorrect: 0 });
    expect(rewardsOf({ rule: 'tinker-format', correct: 3 })).toEqual({ correct: 3, incorrect: 0 });
    expect(rewardsOf({ rule: 'torl' })).toEqual({ correct: 1, incorrect: -1 });
  });
});

describe('any rule', () => {
  it.each(['<think>so it is \\boxed{5}', '<think>a</think> <think>\\boxed{5}'])(
    'calls nothing correct in a thought that does not end: %s',
    (text) => {
      for (const rule of RewardRuleName.options) {
        expect(grade({ rule }, '5', [text]), rule).toMatchObject({ verdict: 'incorrect', formatted: false });
      }
    },
  );

  it('keeps the sign of a last integer, hyphen or minus', () => {
    for (const minus of ['-', '\u2212', '\uff0d']) {
      expect(grade({ rule: 'retool-eval' }, '-5', [`so it is ${minus}5`]), minus).toMatchObject({ verdict: 'correct' });
      expect(grade({ rule: 'retool-eval' }, '5', [`so it is ${minus}5`]), minus).toMatchObject({
        verdict: 'incorrect',
      });
    }
  });

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
