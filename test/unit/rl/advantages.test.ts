import { describe, expect, it } from 'vitest';
import { groupAdvantages, isDegenerate } from '../../../src/rl/advantages';

const kinds = ['centred', 'standardised', 'leaveOneOut'] as const;
const of = (rewards: number[], advantage: (typeof kinds)[number]) =>
  groupAdvantages(rewards, { advantage, advantageEpsilon: 1e-6 });
const close = (values: readonly number[], expected: readonly number[]) => {
  expect(values).toHaveLength(expected.length);
  for (const [i, value] of values.entries()) expect(Math.abs(value - expected[i]!)).toBeLessThan(1e-6);
};

describe('advantages of a group', () => {
  const rewards = [1, -1, -1, 1, -1, -1, -1, -1];

  it.each([
    ['centred', 1.5, -0.5],
    ['standardised', 1.620183, -0.540061],
    ['leaveOneOut', 1.714286, -0.571429],
  ] as const)('are as published when %s', (kind, right, wrong) => {
    close(
      of(rewards, kind),
      rewards.map((reward) => (reward > 0 ? right : wrong)),
    );
  });

  it.each(kinds)('are exactly zero when %s, where equal rewards would leave rounding behind', (kind) => {
    for (const size of [3, 6, 7, 8, 10, 12, 16]) {
      const equal = Array.from({ length: size }, () => -0.7);
      expect(of(equal, kind)).toEqual(equal.map(() => 0));
    }
  });

  it.each(kinds)('are zero for a single member, which has no baseline, when %s', (kind) => {
    expect(of([1], kind)).toEqual([0]);
    expect(isDegenerate([1])).toBe(true);
  });

  it.each(kinds)('are of their own group when %s: two groups that agree within themselves have none', (kind) => {
    expect([...of([1, 1], kind), ...of([-1, -1], kind)]).toEqual([0, 0, 0, 0]);
  });

  it('are blown up by a division where shaping alone tells wrong answers apart', () => {
    close(of([-0.6, -0.7, -0.8, -0.6], 'standardised'), [0.783341, -0.261114, -1.305569, 0.783341]);
  });
});
