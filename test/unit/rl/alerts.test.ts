import { describe, expect, it } from 'vitest';
import { alertMemory, alertsOf, begins } from '../../../src/rl/alerts';
import { endsInRepetition } from '../../../src/rl/repetition';
import type { Metrics } from '../../../src/schema/journal';

const calm: Metrics = {
  'rollout/tool_rate': 0.8,
  'rollout/zero_variance_groups': 0.2,
  'rollout/truncated': 0.02,
  'reward/correct': 0.4,
  'train/logprob_gap_mean': 1e-6,
  'sandbox/timeout_rate': 0.01,
};
const steps = (count: number, change: Metrics = {}): Metrics[] =>
  Array.from({ length: count }, () => ({ ...calm, ...change }));
/** Every alert of a run, with its step. */
const told = (run: readonly Metrics[]) =>
  run.flatMap((_, i) =>
    alertsOf(run.slice(Math.max(0, i + 1 - alertMemory), i + 1)).map(({ level, message }) => [i + 1, level, message]),
  );

describe('alerts', () => {
  it('are silent in a run that goes well', () => {
    expect(told(steps(60))).toEqual([]);
    expect(told(steps(2, { 'rollout/tool_rate': 0 }))).toEqual([]);
  });

  it.each([
    [
      'falling tool use',
      { 'rollout/tool_rate': 0.3 },
      'warning',
      /^Tool use has fallen from 80 % to \d+ % of rollouts/,
    ],
    ['repetition', { 'rollout/repetitive': 0.4 }, 'warning', /^\d+ % of rollouts end in repetition/],
    ['equal rewards', { 'rollout/zero_variance_groups': 0.95 }, 'warning', /^In 95 % of groups all rewards are equal/],
    [
      'problems of which half are solved and half are not',
      { 'rollout/zero_variance_groups': 1, 'reward/correct': 0.5 },
      'warning',
      /^In \d+ % of groups all rewards are equal/,
    ],
    [
      'problems that are all solved',
      { 'rollout/zero_variance_groups': 0.95, 'reward/correct': 0.99 },
      'info',
      /^95 % of groups are solved alike/,
    ],
    ['a sampler apart', { 'train/logprob_gap_mean': 0.3 }, 'warning', /differ by 0\.\d+ nats per token/],
    ['timeouts', { 'sandbox/timeout_rate': 0.5 }, 'warning', /^\d+ % of executions time out/],
    ['truncation', { 'rollout/truncated': 0.3 }, 'warning', /^\d+ % of rollouts are cut .* up from 2 %/],
  ])('tell of %s, once while it lasts', (_, change, level, message) => {
    expect(told([...steps(10), ...steps(15, change)])).toEqual([
      [expect.any(Number), level, expect.stringMatching(message)],
    ]);
  });

  it('tell that the training reward rises while the evaluation does not, once while it lasts', () => {
    const climb = (evaluated: readonly number[], rise: number): Metrics[] =>
      evaluated.flatMap((correct, i) => [
        ...steps(9, { 'reward/mean': -0.5 + i * rise }),
        { ...calm, 'reward/mean': -0.5 + i * rise, 'evaluation/correct': correct },
      ]);
    const message =
      'While the training reward rose from -0.50 to -0.10, the evaluation did not: 41 %, then 41 % and 40 % correct. What is paid may not be what is asked, or the training problems are learnt by heart.';
    expect(told(climb([0.41, 0.41, 0.4, 0.4, 0.4], 0.2))).toEqual([[30, 'warning', message]]);
    expect(told(climb([0.41, 0.43, 0.4], 0.2))).toEqual([]);
    expect(told(climb([0.41, 0.4, 0.4], 0.05))).toEqual([]);
    expect(told(climb([0.41, 0.5, 0.6, 0.7], 0.2))).toEqual([]);
  });

  it('tell of no calls at all', () => {
    const none = { 'rollout/tool_rate': 0 };
    const message = expect.stringMatching(/^No rollout has called the tool for 3 steps/);
    expect(told(steps(15, none))).toEqual([[3, 'warning', message]]);
    expect(told([...steps(10), ...steps(15, none)]).at(-1)).toEqual([13, 'warning', message]);
  });

  it('tell calls that cannot be read from none', () => {
    const [[, , message]] = told(steps(5, { 'rollout/tool_rate': 0, 'rollout/malformed_calls': 0.5 })) as [unknown[]];
    expect(message).toMatch(/^No call of 3 steps could be read, in 50 % of rollouts one was malformed/);
  });

  it('tell again of what has been absent for a while', () => {
    const bad = steps(4, { 'sandbox/timeout_rate': 0.5 });
    expect(told([...bad, ...steps(10), ...bad])).toHaveLength(1);
    expect(told([...bad, ...steps(30), ...bad])).toHaveLength(2);
  });

  it('need no more of the past than is kept of it', () => {
    const run = [...steps(700), ...steps(9, { 'rollout/tool_rate': 0.3, 'rollout/truncated': 0.5 })];
    const whole = run.flatMap((_, i) => alertsOf(run.slice(0, i + 1)).map(({ message }) => message));
    expect(told(run).map(([, , message]) => message)).toEqual(whole);
    expect(whole).toHaveLength(2);
  });
});

it('what each step would say begins once while it lasts, and again after a while', () => {
  const idle = steps(5, { 'train/updates': 0 });
  const run = [...idle, ...steps(3, { 'train/updates': 1 }), ...idle, ...steps(30, { 'train/updates': 1 }), ...idle];
  const begun = run.flatMap((_, i) =>
    begins(run.slice(0, i + 1), (metrics) => metrics['train/updates'] === 0) ? [i + 1] : [],
  );
  expect(begun).toEqual([1, 44]);
});

describe('repetition', () => {
  const counting = Array.from({ length: 100 }, (_, i) => i);
  it.each([
    ['one token', [...counting, ...Array.from({ length: 64 }, () => 7)], true],
    ['a few tokens in turn', [...counting, ...Array.from({ length: 80 }, (_, i) => i % 5)], true],
    ['tokens that differ', counting, false],
    ['too few to tell', Array.from({ length: 30 }, () => 7), false],
    ['one that has ended', [...Array.from({ length: 64 }, () => 7), ...counting.slice(0, 10)], false],
  ])('is seen in %s', (_, tokens, seen) => {
    expect(endsInRepetition(tokens)).toBe(seen);
  });
});
