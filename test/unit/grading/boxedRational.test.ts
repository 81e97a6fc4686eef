import { describe, expect, it } from 'vitest';
import { boxedRational } from '../../../src/grading/boxedRational';
import type { StopReason, Turn } from '../../../src/schema/trajectory';

const turn = (text: string): Turn => ({ tokens: [], logprobs: [], text, added: [], seconds: 0 });
const rule = boxedRational();
const grade = (gold: string, texts: string[], stop: StopReason = 'answered') =>
  rule.grade({ gold, turns: texts.map(turn), stop });

describe('the rule boxed-rational', () => {
  it('rewards the number of the gold answer, however it is written', () => {
    expect(grade('4167', ['\\boxed{4167}<|im_end|>'])).toMatchObject({
      reward: 1,
      verdict: 'correct',
      predicted: '4167',
    });
    expect(grade('3/4', ['\\boxed{ 0.75 }'])).toMatchObject({ reward: 1, verdict: 'correct', formatted: true });
  });

  it('punishes another number', () => {
    expect(grade('4167', ['\\boxed{4168}'])).toMatchObject({ reward: -1, verdict: 'incorrect', formatted: true });
  });

  it('reads the last turn alone', () => {
    expect(grade('5', ['\\boxed{5}', 'so it is 5'])).toMatchObject({
      verdict: 'incorrect',
      formatted: false,
      predicted: null,
    });
    expect(grade('5', ['\\boxed{4}', '\\boxed{5}'])).toMatchObject({ verdict: 'correct' });
    expect(grade('5', [])).toMatchObject({ verdict: 'incorrect', formatted: false });
  });

  it.each(['turnTokens', 'trajectoryTokens', 'turnLimit', 'callLimit', 'malformedCall', 'infrastructure'] as const)(
    'calls nothing correct after the stop %s',
    (stop) => {
      expect(grade('5', ['\\boxed{5}'], stop)).toMatchObject({ reward: -1, verdict: 'incorrect', predicted: null });
    },
  );

  it('knows equal texts that are no numbers, and does not know others', () => {
    expect(grade('x+1', ['\\boxed{x+1}'])).toMatchObject({ reward: 1, verdict: 'correct' });
    expect(grade('x+1', ['\\boxed{1+x}'])).toMatchObject({ reward: -1, verdict: 'unknown' });
    expect(grade('5', ['\\boxed{}'])).toMatchObject({ reward: -1, verdict: 'unknown', predicted: '' });
  });

  it('gives the rewards that it was told', () => {
    const own = boxedRational({ correct: 2, incorrect: 0 });
    expect(own.grade({ gold: '1', turns: [turn('\\boxed{1}')], stop: 'answered' }).reward).toBe(2);
    expect(own.grade({ gold: '1', turns: [turn('\\boxed{2}')], stop: 'answered' }).reward).toBe(0);
  });

  it('says why in a sentence', () => {
    for (const text of ['\\boxed{5}', '\\boxed{5.0}', '\\boxed{6}', '\\boxed{x}', 'none']) {
      expect(grade('5', [text]).reason).toMatch(/^[A-Z].*\.$/);
    }
  });
});
