import { describe, expect, test } from 'vitest';
import { forecast, runningEvaluation, runSummary } from '../../../src/journal/forecast';
import { emptyRun, reduce } from '../../../src/journal/reduce';
import type { JournalEntry, JournalRecord } from '../../../src/schema/journal';
import type { RunState } from '../../../src/schema/runState';

const started: Extract<JournalEntry, { kind: 'started' }> = {
  kind: 'started',
  name: 'run',
  seed: 1,
  version: '0',
  coldStartSteps: 100,
  reinforcementSteps: 50,
  demonstrationsPerStep: 10,
  rolloutsPerStep: 20,
  evaluationRollouts: 200,
  problems: { train: 1, evaluation: 200, leftOut: 0 },
  service: { kind: 'local' },
  python: { path: 'python3', version: '3.11', level: 'namespaces' },
};
const cold = (step: number, seconds: number): JournalEntry => ({
  kind: 'step',
  phase: 'coldStart',
  step,
  metrics: { 'time/step_seconds': seconds },
});
const reinforced = (step: number, seconds: number): JournalEntry => ({
  kind: 'step',
  phase: 'reinforcement',
  step,
  metrics: { 'time/step_seconds': seconds },
});

const begun = (id: string): JournalEntry => ({
  kind: 'evaluationStarted',
  id,
  phase: 'coldStart',
  step: 100,
  samples: 200,
});
const result = {
  samples: 200,
  problems: 200,
  correct: 0.5,
  tool: 0.5,
  format: 1,
  correctWithTool: 1,
  infrastructure: 0,
};
const evaluated = (id: string): JournalEntry => ({
  kind: 'evaluated',
  id,
  phase: 'coldStart',
  step: 100,
  result: { ...result, byKind: {} },
});

/** The state after entries, each with the second at which it was written. */
function journal(...entries: readonly (readonly [second: number, entry: JournalEntry])[]): RunState {
  return entries
    .map(
      ([second, entry], i) => ({ seq: i + 1, time: new Date(second * 1000).toISOString(), ...entry }) as JournalRecord,
    )
    .reduce(reduce, emptyRun('run', '/run'));
}

describe('time left is that of the whole run', () => {
  test('in the cold start, the rest being judged by the pace of demonstrations', () => {
    const run = journal([0, started], [1, cold(1, 1)], [40, cold(40, 1)]);
    // 60 updates of 1 s; a demonstration takes 0.1 s, so a rollout is taken to need 0.15 s: 50 x 20 + 2 x 200 of them.
    expect(forecast(run)).toEqual({ seconds: expect.closeTo(60 + 1400 * 0.15), rough: true });
  });

  test('during an evaluation, which is never "0 s left"', () => {
    const before = journal([0, started], [100, cold(100, 1)], [100, begun('before')]);
    expect(forecast(before)?.seconds).toBeGreaterThan(100);
    const run = journal(
      [0, started],
      [100, cold(100, 1)],
      [100, begun('before')],
      [110, { kind: 'evaluationProgressed', id: 'before', done: 50 }],
    );
    // 10 s for 50 rollouts: 0.2 s for each of 150 + 200 to evaluate and 50 x 20 to learn from.
    expect(forecast(run)).toEqual({ seconds: expect.closeTo(1350 * 0.2), rough: true });
    expect(runningEvaluation(run)).toMatchObject({ id: 'before', done: 50, rollouts: 200 });
  });

  test('in the reinforcement, by its own median pace and that of the evaluation before', () => {
    const run = journal(
      [100, started],
      [200, begun('before')],
      [220, evaluated('before')],
      ...[4, 4, 90, 4, 4].map((seconds, i) => [300 + i, reinforced(i + 1, seconds)] as const),
    );
    expect(forecast(run)).toEqual({ seconds: expect.closeTo(45 * 4 + 200 * 0.1), rough: false });
    expect(runningEvaluation(run)).toBeUndefined();
  });

  test('while the last evaluation is under way', () => {
    const run = journal(
      [0, started],
      [10, reinforced(50, 4)],
      [20, begun('after')],
      [30, { kind: 'evaluationProgressed', id: 'after', done: 100 }],
    );
    expect(forecast(run)).toEqual({ seconds: expect.closeTo(10), rough: false });
  });

  test('and is not told where nothing was timed, or nothing runs', () => {
    expect(forecast(journal([0, started]))).toBeUndefined();
    expect(forecast({ ...journal([0, started], [1, cold(1, 1)]), status: 'stopped' })).toBeUndefined();
    const old = { ...started };
    for (const name of ['demonstrationsPerStep', 'rolloutsPerStep', 'evaluationRollouts'] as const) delete old[name];
    expect(forecast(journal([0, old], [1, cold(1, 1)]))).toBeUndefined();
    expect(forecast(journal([0, old], [1, reinforced(1, 2)]))).toEqual({ seconds: 98, rough: false });
  });
});

test('the time of a run leaves out what lay between its attempts', () => {
  const run = journal(
    [0, started],
    [60, cold(60, 1)],
    [5000, { kind: 'resumed', attempt: 2, phase: 'coldStart', step: 50, checkpoint: 'x' }],
    [5010, cold(51, 1)],
  );
  expect(run.activeSeconds).toBe(70);
});

test('a run whose last steps made no update says in its summary how many', () => {
  const step = (number: number, updates?: number): JournalEntry => ({
    kind: 'step',
    phase: 'reinforcement',
    step: number,
    metrics: updates === undefined ? {} : { 'train/updates': updates },
  });
  const idle = (...entries: readonly JournalEntry[]) =>
    runSummary(journal([0, started], ...entries.map((entry, i) => [i + 1, entry] as const))).idleSteps;
  expect(idle()).toBe(0);
  expect(idle(cold(1, 1), step(1, 0), step(2, 2), step(3, 0), step(4, 0))).toBe(2);
  expect(idle(step(1, 0), step(2, 0))).toBe(2);
  expect(idle(step(1, 0), step(2, 1))).toBe(0);
  expect(idle(step(1), step(2))).toBe(0);
});

test('nothing is foretold while the service does not answer', () => {
  const noticed = (service: 'silent' | 'answers'): JournalEntry => ({
    kind: 'noticed',
    phase: 'coldStart',
    step: 2,
    level: 'warning',
    message: 'The training service does not answer.',
    service,
  });
  const going = [
    [0, started],
    [1, cold(1, 1)],
    [2, cold(2, 1)],
  ] as const;
  expect(forecast(journal(...going))).toBeDefined();
  const silent = journal(...going, [5, noticed('silent')]);
  expect(silent.silentSince).toBe(silent.updatedAt);
  expect(forecast(silent)).toBeUndefined();
  for (const next of [noticed('answers'), cold(3, 1)]) {
    const again = journal(...going, [5, noticed('silent')], [9, next]);
    expect(again.silentSince).toBeUndefined();
    expect(forecast(again)).toBeDefined();
  }
});
