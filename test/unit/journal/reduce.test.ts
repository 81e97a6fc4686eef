import { describe, expect, it } from 'vitest';
import { emptyRun, reduce, reduceAll } from '../../../src/journal/reduce';
import type { JournalEntry, JournalRecord } from '../../../src/schema/journal';

const time = '2026-01-02T03:04:05.000Z';
const numbered = (entries: JournalEntry[]): JournalRecord[] =>
  entries.map((entry, i) => ({ seq: i + 1, time, ...entry }) as JournalRecord);
const fold = (records: JournalRecord[]) => records.reduce(reduce, emptyRun('r', '/r'));

const step = (phase: 'coldStart' | 'reinforcement', n: number, reward = n): JournalEntry => ({
  kind: 'step',
  phase,
  step: n,
  metrics: { 'reward/mean': reward },
});
const checkpoint = (phase: 'coldStart' | 'reinforcement', n: number): JournalEntry => ({
  kind: 'checkpoint',
  phase,
  step: n,
  path: `test://${phase}-${n}`,
});
const notice = (n: number): JournalEntry => ({
  kind: 'noticed',
  phase: 'reinforcement',
  step: n,
  level: 'info',
  message: `at ${n}`,
});

describe('reduce', () => {
  it('hides what an abandoned attempt did after the checkpoint that the next one starts from', () => {
    const run = fold(
      numbered([
        step('coldStart', 1),
        step('reinforcement', 1),
        checkpoint('reinforcement', 1),
        step('reinforcement', 2, 99),
        notice(2),
        { kind: 'evaluationStarted', id: 'after', phase: 'reinforcement', step: 2, samples: 1 },
        { kind: 'resumed', attempt: 2, phase: 'reinforcement', step: 1, checkpoint: 'test://reinforcement-1' },
        step('reinforcement', 2),
      ]),
    );
    expect(run.points.map(({ phase, step: n, metrics }) => [phase, n, metrics['reward/mean']])).toEqual([
      ['coldStart', 1, 1],
      ['reinforcement', 1, 1],
      ['reinforcement', 2, 2],
    ]);
    expect(run).toMatchObject({ attempt: 2, status: 'running', step: 2, notices: [], evaluations: {} });
    expect(run.checkpoints).toHaveLength(1);
  });

  it('takes each record once, whoever delivers it', () => {
    const records = numbered([step('reinforcement', 1), step('reinforcement', 2)]);
    const once = fold(records);
    expect(fold([...records, ...records])).toEqual(once);
    expect(records.reduce(reduce, once)).toBe(once);
  });

  it('folds many records as one after the other', () => {
    const steps = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => step('reinforcement', from + i));
    const records = numbered([
      ...steps(1, 3),
      checkpoint('reinforcement', 3),
      ...steps(4, 6),
      { kind: 'resumed', attempt: 2, phase: 'reinforcement', step: 3, checkpoint: 'test://reinforcement-3' },
      ...steps(4, 5),
    ]);
    expect(reduceAll(emptyRun('r', '/r'), records)).toEqual(fold(records));
    const half = reduceAll(emptyRun('r', '/r'), records.slice(0, 6));
    expect(reduceAll(half, records)).toEqual(fold(records));
    expect(half).toEqual(fold(records.slice(0, 6)));
    expect(reduceAll(half, [])).toBe(half);
  });

  it('folds a hundred thousand steps without copying the list for each', () => {
    const records = numbered(Array.from({ length: 100_000 }, (_, i) => step('reinforcement', i + 1)));
    expect(reduceAll(emptyRun('r', '/r'), records).points).toHaveLength(100_000);
  });

  it('forgets a checkpoint that was let go', () => {
    const run = fold(
      numbered([
        checkpoint('reinforcement', 1),
        checkpoint('reinforcement', 2),
        { kind: 'discarded', path: 'test://reinforcement-1' },
      ]),
    );
    expect(run.checkpoints.map(({ step: n }) => n)).toEqual([2]);
  });

  it('ends as the journal says, with what to do', () => {
    const run = fold(numbered([{ kind: 'ended', outcome: 'failed', message: 'Disk full.', hint: 'Free some.' }]));
    expect(run).toMatchObject({ status: 'failed', message: 'Disk full.', hint: 'Free some.' });
  });
});
