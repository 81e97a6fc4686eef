import { describe, expect, it } from 'vitest';
import { centredAdvantages, isDegenerate } from '../../../src/rl/advantages';

describe('centredAdvantages', () => {
  it('takes the mean of the group as the baseline', () => {
    expect(centredAdvantages([1, -1, -1, 1, -1, -1, -1, -1])).toEqual([1.5, -0.5, -0.5, 1.5, -0.5, -0.5, -0.5, -0.5]);
  });

  it('gives exactly zero where equal rewards would leave rounding behind', () => {
    for (const size of [3, 6, 7, 8, 10, 12, 16]) {
      const rewards = Array.from({ length: size }, () => -0.7);
      expect(centredAdvantages(rewards)).toEqual(rewards.map(() => 0));
    }
  });

  it('gives a single member no baseline and no advantage', () => {
    expect(centredAdvantages([1])).toEqual([0]);
    expect(isDegenerate([1])).toBe(true);
  });

  it('keeps groups apart: two groups that agree within themselves have no advantage', () => {
    expect([...centredAdvantages([1, 1]), ...centredAdvantages([-1, -1])]).toEqual([0, 0, 0, 0]);
  });
});
