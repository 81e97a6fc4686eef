import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DashboardFeed } from '../../../src/host/dashboardFeed';
import { runHead } from '../../../src/host/model/runHead';
import { RunStore } from '../../../src/journal/runStore';
import type { JournalRecord } from '../../../src/schema/journal';
import type { ToDashboard } from '../../../src/schema/messages';

const time = '2026-01-01T00:00:00.000Z';
const steps = (from: number, to: number): JournalRecord[] =>
  Array.from({ length: to - from + 1 }, (_, i) => ({
    kind: 'step',
    seq: from + i,
    time,
    phase: 'reinforcement',
    step: from + i,
    metrics: { 'reward/mean': 0 },
  }));

function aFeed() {
  const store = new RunStore();
  const sent: ToDashboard[] = [];
  const state = { visible: true };
  const feed = new DashboardFeed({
    runId: 'run',
    store,
    smoothing: () => 0.6,
    visible: () => state.visible,
    head: (run) => runHead(run, { trusted: true, own: true }),
    send: (message) => sent.push(message),
  });
  const told = () =>
    sent.splice(0).map((message) => (message.type === 'gone' ? 'gone' : `${message.type} ${message.points.length}`));
  return { store, feed, state, told };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a panel gets a snapshot, then what is new, at most ten times a second', () => {
  const { store, feed, told } = aFeed();
  store.ingest('run', '/runs/run', steps(1, 5));
  feed.snapshot();
  expect(told()).toEqual(['snapshot 5']);
  vi.advanceTimersByTime(1000);
  told();
  for (let seq = 6; seq <= 45; seq++) {
    store.ingest('run', '/runs/run', steps(seq, seq));
    vi.advanceTimersByTime(25);
  }
  expect(told().length).toBeLessThanOrEqual(10);
});

test('a long run comes in pieces that lead up to each other', () => {
  const { store, feed, told } = aFeed();
  store.ingest('run', '/runs/run', steps(1, 700));
  feed.snapshot();
  vi.advanceTimersByTime(1000);
  expect(told()).toEqual(['snapshot 300', 'append 300', 'append 100']);
});

test('a hidden panel is sent nothing; a resumed run is told anew; one that went is told gone', () => {
  const { store, feed, state, told } = aFeed();
  store.ingest('run', '/runs/run', steps(1, 5));
  feed.snapshot();
  vi.advanceTimersByTime(1000);
  told();
  state.visible = false;
  store.ingest('run', '/runs/run', steps(6, 6));
  vi.advanceTimersByTime(1000);
  expect(told()).toEqual([]);
  state.visible = true;
  store.ingest('run', '/runs/run', [
    { kind: 'resumed', seq: 7, time, attempt: 2, phase: 'reinforcement', step: 4, checkpoint: 'x' },
  ]);
  vi.advanceTimersByTime(1000);
  expect(told()).toEqual(['snapshot 4']);
  store.remove('run');
  vi.advanceTimersByTime(1000);
  expect(told()).toEqual(['gone']);
});
