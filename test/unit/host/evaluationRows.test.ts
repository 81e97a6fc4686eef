import { expect, test } from 'vitest';
import { planWords } from '../../../src/host/model/evaluationWords';
import { childrenOf, importedNode, parentKey } from '../../../src/host/model/treeNode';
import { placeText, treeRow } from '../../../src/host/model/treeRow';
import { RunStore } from '../../../src/journal/runStore';
import type { AskedEvaluation } from '../../../src/schema/runState';
import { aRun, strings } from './support';

const asked = (rest: Partial<AskedEvaluation>): AskedEvaluation => ({
  id: 'AIME25.step-40.01234567',
  dataset: 'AIME25',
  problems: 30,
  samples: 12,
  settings: { mode: 'tool', temperature: 1, topP: 1, topK: -1, seed: 0 },
  subject: { kind: 'checkpoint', path: 'local://40', phase: 'reinforcement', step: 40 },
  source: 'AIME25',
  status: 'running',
  done: 181,
  all: 360,
  ...rest,
});

const step = (number: number) => ({
  kind: 'checkpoint' as const,
  path: `local://${number}`,
  phase: 'reinforcement' as const,
  step: number,
});
const saved = { phase: 'reinforcement' as const, step: 40, path: 'local://40', time: 0 };
const withAsked = (...all: AskedEvaluation[]) => ({
  ...aRun([1], { total: 40, status: 'completed' }),
  checkpoints: [saved],
  asked: all,
});
const rowsUnder = (kind: 'evaluations' | 'checkpoints', run: ReturnType<typeof withAsked>) =>
  childrenOf({ kind, key: `run/${kind}`, runId: 'run' }, run).map((node) => {
    const { label, description, context } = treeRow(node, run, strings);
    return [label, description, context];
  });

test('an evaluation that was asked for has a row with how far it is', () => {
  const run = withAsked(
    asked({ secondsLeft: 250 }),
    asked({ id: 'b', status: 'stopped', subject: step(20) }),
    asked({ id: 'c', status: 'waiting', done: 0, subject: step(60) }),
    asked({ id: 'e', status: 'queued', place: 1, done: 0, subject: step(80) }),
    asked({ id: 'f', status: 'queued', place: 2, done: 0, subject: step(100) }),
    asked({
      id: 'd',
      status: 'done',
      subject: step(120),
      result: { average: 0.475, interval: { low: 0.342, high: 0.611 } },
    }),
  );
  expect(rowsUnder('evaluations', run)).toEqual([
    ['AIME25 · Step 40', '181 of 360 · 4 m 10 s left', 'evaluation.asked.running'],
    ['AIME25 · Step 20', 'stopped at 181 of 360', 'evaluation.asked.stopped'],
    ['AIME25 · Step 60', 'waits for the training', 'evaluation.asked.waiting'],
    ['AIME25 · Step 80', 'next in the queue', 'evaluation.asked.queued'],
    ['AIME25 · Step 100', 'number 2 in the queue', 'evaluation.asked.queued'],
    ['AIME25 · Step 120', '47.5\u202f% correct, 95 % interval 34.2\u202f% to 61.1\u202f%', 'evaluation.asked.done'],
  ]);
});

test('one whose service does not answer says since when, and no seconds', () => {
  const silentSince = new Date(2026, 0, 2, 14, 5, 9).getTime();
  expect(rowsUnder('evaluations', withAsked(asked({ silentSince, secondsLeft: 21 })))[0]![1]).toBe(
    '181 of 360 · the training service has not answered since 14:05:09; waiting for it',
  );
});

test('evaluations of one checkpoint that were asked otherwise say in what they differ', () => {
  const { settings } = asked({});
  const done = (id: string, average: number, change: Partial<AskedEvaluation>) =>
    asked({ id, status: 'done', result: { average, interval: null }, ...change });
  const run = withAsked(
    done('a', 0.5, {}),
    done('b', 0.25, { settings: { ...settings, temperature: 0.6 } }),
    done('c', 0.75, { settings: { ...settings, mode: 'text' }, samples: 4 }),
    done('d', 0.1, { dataset: 'AMC23' }),
  );
  expect(rowsUnder('evaluations', run).map(([label]) => label)).toEqual([
    'AIME25 · Step 40 · With code, 12 samples, temperature 1',
    'AIME25 · Step 40 · With code, 12 samples, temperature 0.6',
    'AIME25 · Step 40 · In text alone, 4 samples, temperature 1',
    'AMC23 · Step 40',
  ]);
  expect(rowsUnder('checkpoints', run)[0]![1]).toBe(
    'AIME25 (With code, 12 samples, temperature 1) 50.0\u202f% · AIME25 (With code, 12 samples, temperature 0.6) 25.0\u202f% · AIME25 (In text alone, 4 samples, temperature 1) 75.0\u202f% · AMC23 10.0\u202f%',
  );
  const [node] = childrenOf({ kind: 'evaluations', key: 'run/evaluations', runId: 'run' }, run);
  expect(treeRow(node!, run, strings).tooltip).toContain(
    'With code · 12 samples · temperature 1 · top-p 1 · no top-k · seed 0 · 30 problems',
  );
  // Other budgets, say: what is not in sight is told apart by the end of its id.
  const alike = withAsked(done('AIME25.step-40.aaaaaaaa', 0.5, {}), done('AIME25.step-40.bbbbbbbb', 0.5, {}));
  expect(rowsUnder('evaluations', alike).map(([label]) => label)).toEqual([
    'AIME25 · Step 40 · aaaaaaaa',
    'AIME25 · Step 40 · bbbbbbbb',
  ]);
});

test('the model before training is a checkpoint too, and each shows what it reached', () => {
  const result = { average: 0.236, interval: null };
  const subject = { kind: 'checkpoint' as const, phase: 'coldStart' as const, step: 0 };
  const run = withAsked(asked({ status: 'done', subject, result }));
  expect(rowsUnder('checkpoints', run)).toEqual([
    ['Step 40', '', 'checkpoint'],
    ['Base', 'AIME25 23.6\u202f%', 'checkpoint'],
  ]);
});

test('trajectories of an evaluation are named by what was evaluated, without its hash', () => {
  expect(placeText({ evaluation: 'AIME25.step-40.01234567' }, strings)).toBe('AIME25.step-40');
  expect(placeText({ evaluation: 'before' }, strings)).toBe('Before reinforcement');
});

test('what an evaluation will need is said with what is known', () => {
  const plan = {
    problems: 30,
    samples: 12,
    generations: 360,
    tokens: { most: 720_000 },
    seconds: undefined,
    money: undefined,
  };
  expect(planWords(plan, 1, strings)).toBe('360 generations · at most 720,000 tokens · time not known yet');
  expect(planWords({ ...plan, tooLong: { longest: 1740, room: 88 } }, 1, strings)).toBe(
    'Does not fit this model: the longest problem takes 1,740 tokens, and there is room for 88',
  );
  const priced = {
    ...plan,
    tokens: { typical: 410_000, most: 720_000 },
    seconds: 750,
    money: { typical: 0.9, most: 1.2, currency: 'USD' },
  };
  expect(planWords(priced, 2, strings)).toBe(
    '360 generations for each of 2 models · typically 820,000 tokens, at most 1,440,000 · about 25 m 0 s · typically 1.80 USD, at most 2.40 USD',
  );
});

test('what was imported has a group of its own, with rows that a reader can tell apart', () => {
  const subject = { kind: 'imported' as const, from: 'aime25-retool-step200.jsonl', model: 'trio://x/step200' };
  // The reference's files hold no interval.
  const result = { average: 0.475, interval: undefined };
  const shelf = { ...withAsked(asked({ id: 'a', status: 'done', subject, result })), folder: '/maths/.retool' };
  const group = importedNode('/maths/.retool');
  expect(treeRow(group, shelf, strings)).toMatchObject({
    label: 'Imported',
    description: '1',
    spoken: 'Imported, 1 evaluation',
    context: 'imported',
    expanded: false,
  });
  const [node] = childrenOf(group, shelf);
  expect(parentKey(node!, shelf)).toBe(group.key);
  const row = treeRow(node!, shelf, strings);
  expect(row).toMatchObject({ label: 'AIME25 · Step 200', context: 'evaluation.imported', expanded: false });
  expect(row.spoken).toMatch(
    /^AIME25 · Step 200, 47\.5\s% correct, imported from aime25-retool-step200\.jsonl, model trio:/,
  );
});

test('a store holds what was imported beside the runs, and not among them', () => {
  const store = new RunStore();
  const changed: string[] = [];
  store.onDidChange((id) => changed.push(id));
  const folders = ['/maths/.retool', '/a/maths/.retool'];
  store.setShelves(folders);
  expect([store.ids(), store.shelfIds()]).toEqual([[], []]);
  const [first, second] = folders.map((each) => store.shelfAt(each)!);
  // Ids stand in the addresses of documents, and stay the same.
  expect([first, second]).toEqual(['imported-in-maths-2', 'imported-in-maths']);
  store.setAsked(first!, [asked({ status: 'done' })]);
  expect(store.shelfIds()).toEqual([first]);
  expect(store.get(first!)).toMatchObject({ name: 'maths', folder: '/maths/.retool', asked: [{ done: 181 }] });
  store.setShelves(['/a/maths/.retool']);
  expect(store.get(first!)).toBeUndefined();
  expect([store.ids(), store.shelfIds()]).toEqual([[], []]);
  expect(changed).toEqual([second, first, first, first]);
  store.dispose();
});
