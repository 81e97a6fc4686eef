import { describe, expect, test } from 'vitest';
import { displayLines, longestLine } from '../../../src/host/model/displayText';
import { count, duration, percent, signed } from '../../../src/host/model/format';
import { resultText } from '../../../src/host/model/resultText';
import { sparkline } from '../../../src/host/model/sparkline';
import { rewardNote, statusText } from '../../../src/host/model/statusText';
import { parseTrajectoryPath, trajectoryPath } from '../../../src/host/model/trajectoryPath';
import { wilson } from '../../../src/lib/wilsonInterval';
import { aRun, strings } from './support';

describe('numbers', () => {
  test('carry a sign that is a minus, and none at zero', () => {
    expect([0.134, -0.551, 0, -0.001].map((value) => signed(value))).toEqual(['+0.13', '−0.55', '0.00', '0.00']);
  });

  test('have a narrow space before the percent sign, and commas', () => {
    expect(percent(0.5625)).toBe('56\u202f%');
    expect(count(1873.6)).toBe('1,874');
  });

  test('name the two largest units of a duration', () => {
    const texts = [0.034, 0.42, 12.3, 59.97, 561, 35_400, 200_000].map((s) => duration(s, strings.duration));
    expect(texts).toEqual(['0.03 s', '0.4 s', '12 s', '1 m 0 s', '9 m 21 s', '9 h 50 m', '2 d 7 h']);
  });
});

describe('a sparkline', () => {
  test('draws eight means between the least and the greatest', () => {
    expect(sparkline(Array.from({ length: 80 }, (_, i) => i))).toBe('▁▂▃▄▅▆▇█');
  });

  test('draws fewer values as they are, equal ones in the middle, none as nothing', () => {
    expect([sparkline([1, 2]), sparkline([3, 3, 3]), sparkline([])]).toEqual(['▁█', '▄▄▄', '']);
  });
});

test('the status bar says step, reward and time left', () => {
  expect(statusText(aRun([4, 4, 4], { total: 25, reward: 0.131 }), strings)).toBe(
    'ReTool 3/25 · +0.13 · 1 m 28 s left',
  );
  expect(statusText(aRun([], { total: 25 }), strings)).toBe('ReTool 0/25');
});

test('a reward beside a run says which it is', () => {
  expect(rewardNote(aRun([4, 4, 4], { total: 25, reward: 0.131 }), strings)).toBe(
    'Reward +0.13: the mean of step 3, not smoothed',
  );
  expect(rewardNote(aRun([], { total: 25 }), strings)).toBe(undefined);
});

test('a run that has finished says what it came to', () => {
  const evaluation = (correct: number, rest = {}) => ({
    phase: 'reinforcement' as const,
    step: 3,
    rollouts: 100,
    done: 100,
    startedAt: 0,
    seconds: 1,
    result: {
      problems: 100,
      samples: 100,
      correct,
      tool: 1,
      format: 1,
      correctWithTool: null,
      infrastructure: 0,
      byKind: {},
      ...rest,
    },
  });
  const run = aRun([1, 1, 1], { total: 3, status: 'completed' });
  expect(resultText(run, strings)).toBe(undefined);
  const both = { ...run, evaluations: { before: evaluation(0.031), after: evaluation(0.5) } };
  expect(resultText(both, strings)).toBe('correct 3.1\u202f% → 50.0\u202f%, 95 % interval 40\u202f% to 60\u202f%');
  const sampled = { ...run, evaluations: { after: evaluation(0.5, { interval: { low: 0.3, high: 0.7 } }) } };
  expect(resultText(sampled, strings)).toBe('50.0\u202f% correct, 95 % interval 30\u202f% to 70\u202f%');
});

test('a Wilson interval lies inside 0..1 and holds the share', () => {
  const { low, high } = wilson(0.5, 100);
  expect([low, high].map((bound) => Number(bound.toFixed(3)))).toEqual([0.404, 0.596]);
  expect(wilson(0, 20).low).toBe(0);
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 });
});

describe('text for an editor', () => {
  test('is wrapped, whole characters together', () => {
    const lines = displayLines(`${'a'.repeat(longestLine - 1)}😀b`);
    expect(lines).toEqual(['a'.repeat(longestLine - 1), '😀b']);
    expect(displayLines('x'.repeat(4500)).map(({ length }) => length)).toEqual([2000, 2000, 500]);
  });

  test('shows control characters, and has no foreign line ends', () => {
    expect(displayLines('a\r\nb\rc\u2028d\u0000\u001b[31m\ud800')).toEqual(['a', 'b␍c␤d␀␛[31m\ufffd']);
  });
});

test('a trajectory is found again by its path, whatever the names are', () => {
  const address = { runId: '2026 läuf', place: { step: 137 }, problemId: 'a/b c#?%', branch: 4 };
  expect(parseTrajectoryPath(trajectoryPath(address))).toEqual(address);
  expect(trajectoryPath(address)).toMatch(/\/step 137\/.*\/a-b-c- branch 4\.retool$/);
  const evaluated = { ...address, place: { evaluation: 'before/2' } };
  expect(parseTrajectoryPath(trajectoryPath(evaluated))).toEqual(evaluated);
  expect(['/x', '/r/step 1/p/other.txt', '/%E0/step 1/p/p branch 0.retool'].map(parseTrajectoryPath)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
