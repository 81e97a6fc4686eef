import { afterEach, expect, it, vi } from 'vitest';
import { gitHub } from '../../../src/hub/hubSource';
import { type FetchProgress, tellingSilence } from '../../../src/hub/hubWait';

afterEach(() => vi.useRealTimers());

it('says which hub is waited for when it is silent for a few seconds, and nothing when it answers before', async () => {
  vi.useFakeTimers();
  const told: FetchProgress[] = [];
  const ask = (asking: Promise<number>) =>
    tellingSilence(asking, gitHub, { name: 'a', received: 0 }, 1, (progress) => told.push(progress));
  await ask(Promise.resolve(1));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual([]);
  const late = ask(new Promise((resolve) => setTimeout(() => resolve(2), 5_000)));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await late).toBe(2);
  expect(told.map(({ waiting }) => waiting)).toEqual([{ host: expect.stringContaining('github'), next: 2, tries: 4 }]);
});
