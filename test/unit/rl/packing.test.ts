import { describe, expect, it } from 'vitest';
import { toDatum } from '../../../src/rl/datum';
import { packMicroBatches } from '../../../src/rl/packing';
import { learningRateAt } from '../../../src/rl/schedule';

const row = (length: number) =>
  toDatum([{ tokens: Array.from({ length: length + 1 }, () => 1), logprobs: undefined }], 1);

describe('packMicroBatches', () => {
  it('fills calls by first fit and decreasing length', () => {
    const lengths = [8000, 8000, 8000, 8000, 8000, 8000, 8000, 8000, 7000, 2000, 2000, 500];
    const batches = packMicroBatches(lengths.map(row), { maxDatums: 32, maxPaddedTokens: 64_000 });
    expect(batches.map((batch) => batch.map(({ tokens }) => tokens.length))).toEqual([
      [8000, 8000, 8000, 8000, 8000, 8000, 8000, 8000],
      [7000, 2000, 2000, 500],
    ]);
  });

  it('loses no row and keeps the order within a call', () => {
    const rows = [5, 9, 5, 7, 9].map(row);
    const batches = packMicroBatches(rows, { maxDatums: 2, maxPaddedTokens: 1000 });
    expect(batches.flat()).toHaveLength(5);
    for (const batch of batches) {
      const places = batch.map((datum) => rows.indexOf(datum));
      expect(places).toEqual([...places].sort((a, b) => a - b));
    }
  });

  it('sends a row above the limit by itself', () => {
    const batches = packMicroBatches([row(50), row(5)], { maxDatums: 8, maxPaddedTokens: 20 });
    expect(batches.map((batch) => batch.map(({ tokens }) => tokens.length))).toEqual([[50], [5]]);
  });
});

describe('learningRateAt', () => {
  const schedule = { learningRate: 1, warmupSteps: 2, decayFraction: 0.5, finalFraction: 0.1 };

  it('rises over the warm-up, stays, and falls to the final share', () => {
    const rates = [1, 2, 3, 5, 6, 10].map((step) => learningRateAt(schedule, step, 10));
    expect(rates[0]).toBe(0.5);
    expect(rates.slice(1, 4)).toEqual([1, 1, 1]);
    expect(rates[5]).toBeCloseTo(1 - 0.8 * 0.9, 12);
  });

  it('is the peak from the first step without warm-up and decay', () => {
    expect(learningRateAt({ ...schedule, warmupSteps: 0, decayFraction: 0 }, 1, 5)).toBe(1);
    expect(learningRateAt({ ...schedule, warmupSteps: 0, decayFraction: 0 }, 5, 5)).toBe(1);
  });
});
