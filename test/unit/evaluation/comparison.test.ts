import { describe, expect, it } from 'vitest';
import { pairedDifference } from '../../../src/evaluation/pairedDifference';
import { problemInterval, standardError } from '../../../src/evaluation/problemInterval';
import { type Claim, supports } from '../../../src/evaluation/supports';
import { pointsText } from '../../../src/lib/texts';

const shares = (...values: number[]) => new Map(values.map((share, i) => [`p-${i + 1}`, share]));
const reason = (claim: Claim) => {
  const judged = supports(claim);
  return judged.supported ? undefined : judged.reason;
};
const differs = (before: number[], after: number[]) =>
  reason({ kind: 'difference', paired: pairedDifference(shares(...before), shares(...after)) });

describe('an interval over problems', () => {
  it('is the same each time, and holds the mean', () => {
    const values = [1, 0.5, 0, 0.25, 0.75];
    expect(problemInterval(values)).toEqual(problemInterval(values));
    expect(problemInterval([0.25])).toEqual({ low: 0.25, high: 0.25 });
  });

  it('needs a problem, and its standard error two', () => {
    expect(() => problemInterval([])).toThrow(/at least one problem/);
    expect(standardError([0.5])).toBeUndefined();
    expect(standardError([0, 1])).toBeCloseTo(0.5, 12);
  });
});

describe('two checkpoints', () => {
  it('are compared problem by problem, whatever the order of the problems', () => {
    const [before, after] = [shares(0.1, 0.5, 0.9), shares(0.3, 0.7, 0.9)];
    const paired = pairedDifference(before, after);
    expect(paired).toMatchObject({ problems: 3, better: 2, worse: 0 });
    expect(paired.difference).toBeCloseTo(0.4 / 3, 12);
    expect(paired.standardError).toBeCloseTo(1 / 15, 12);
    expect(pairedDifference(before, new Map([...after].reverse()))).toEqual(paired);
  });

  it('are told apart more finely than by the intervals of both', () => {
    const before = [0, 0.2, 0.4, 0.6, 0.8, 0.9];
    const paired = pairedDifference(shares(...before), shares(...before.map((share) => share + 0.1)));
    expect(paired.low).toBeCloseTo(0.1, 12);
    expect(problemInterval(before).high).toBeGreaterThan(problemInterval(before.map((share) => share + 0.1)).low);
  });

  it('that were evaluated on other problems are refused by the name of one', () => {
    expect(() => pairedDifference(shares(1, 1), shares(1))).toThrow(
      'The problem p-2 was evaluated with one of the two checkpoints only.',
    );
    expect(() => pairedDifference(shares(1), shares(1, 0))).toThrow(/p-2/);
    expect(() => pairedDifference(shares(), shares())).toThrow(/at least one problem/);
  });
});

describe('a claim', () => {
  const scores = [
    { samples: 8, correct: 1 },
    { samples: 4, correct: 4 },
  ];

  it.each<[string, Claim, string | undefined]>([
    ['of k samples that all have', { kind: 'passAtK', scores, k: 4 }, undefined],
    [
      'of k samples that one has not',
      { kind: 'passAtK', scores, k: 8 },
      'pass@8 needs 8 samples of every problem, and one has 4.',
    ],
    ['of no problem', { kind: 'passAtK', scores: [], k: 1 }, 'No problem was evaluated.'],
    ['of several problems', { kind: 'interval', values: [0, 1] }, undefined],
    [
      'of one problem',
      { kind: 'interval', values: [0.5] },
      'One problem says nothing of others: an interval needs at least two.',
    ],
    ['of equal problems', { kind: 'interval', values: [1, 1, 1] }, undefined],
  ])('%s is judged', (_, claim, expected) => {
    expect(reason(claim)).toBe(expected);
  });

  it('that a checkpoint is better needs an interval without zero', () => {
    expect(differs([0, 0, 0.1, 0.2], [0.5, 0.4, 0.9, 0.6])).toBeUndefined();
    expect(differs([0.5, 0.4, 0.9, 0.6], [0, 0, 0.1, 0.2])).toBeUndefined();
    expect(differs([0, 1, 0, 1], [1, 0, 0.5, 1])).toBe(
      'The difference of +12.5 points may be chance: its 95 % interval, \u221262.5 to +75.0, includes 0.',
    );
  });

  it('that a checkpoint is better needs two problems, and a spread', () => {
    expect(differs([0], [1])).toMatch(/^One problem says nothing/);
    expect(differs([0.5, 1], [0.5, 1])).toBe('None of the 2 problems came out differently.');
    expect(differs([0, 0.5], [0.5, 1])).toMatch(/^All 2 problems differ by the same \+50.0 points/);
  });

  it('spells points with a sign', () => {
    expect([0.125, -0.031, 0, -0.0001].map((share) => pointsText(share))).toEqual(['+12.5', '\u22123.1', '0.0', '0.0']);
  });
});
