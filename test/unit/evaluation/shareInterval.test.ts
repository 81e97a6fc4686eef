import { describe, expect, it } from 'vitest';
import { problemInterval } from '../../../src/evaluation/problemInterval';
import { shareInterval } from '../../../src/evaluation/shareInterval';

describe('the interval of a share over problems', () => {
  it('is a bootstrap of problems that came out differently', () => {
    const shares = [0, 0.25, 1, 1];
    expect(shareInterval(shares)).toEqual(problemInterval(shares));
  });

  it('has a width where all came out the same', () => {
    const all = shareInterval(Array.from({ length: 64 }, () => 1))!;
    expect(all.low).toBeCloseTo(0.943376, 6);
    expect(all.high).toBe(1);
    const none = shareInterval(Array.from({ length: 64 }, () => 0))!;
    expect(none.low).toBe(0);
    expect(none.high).toBeCloseTo(1 - 0.943376, 6);
  });

  it('of a single problem is unknown', () => {
    expect(shareInterval([1])).toBeUndefined();
    expect(shareInterval([])).toBeUndefined();
  });
});
