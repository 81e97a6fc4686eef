import { expect, it, vi } from 'vitest';
import { Pace } from '../../../src/lib/pace';

it('the time left is told by what was done since, without the time in which nothing was answered', () => {
  vi.useFakeTimers();
  const pace = new Pace(100);
  vi.advanceTimersByTime(10_000);
  expect(pace.secondsLeft(110, 160)).toBeCloseTo(50, 6);
  vi.advanceTimersByTime(60_000);
  pace.skip(60_000);
  expect(pace.secondsLeft(110, 160)).toBeCloseTo(50, 6);
  pace.startFrom(105);
  expect(pace.secondsLeft(110, 160)).toBeCloseTo(100, 6);
  vi.useRealTimers();
});
