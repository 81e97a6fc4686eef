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
  subject: { kind: 'checkpoint', path: 'local://40', phase: 'reinforcement', step: 40 },
  source: 'AIME25',
  status: 'running',
  done: 181,
  all: 360,
  ...rest,
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
    asked({ id: 'b', status: 'stopped' }),
    asked({ id: 'c', status: 'waiting', done: 0 }),
    asked({ id: 'd', status: 'done', result: { average: 0.475, interval: { low: 0.342, high: 0.611 } } }),
  );
  expect(rowsUnder('evaluations', run)).toEqual([
    ['AIME25 · Step 40', '181 of 360 · 4 m 10 s left', 'evaluation.asked.running'],
    ['AIME25 · Step 40', 'stopped at 181 of 360', 'evaluation.asked.stopped'],
    ['AIME25 · Step 40', 'waits for the training', 'evaluation.asked.waiting'],
    ['AIME25 · Step 40', '47.5\u202f% correct, 95 % interval 34.2\u202f% to 61.1\u202f%', 'evaluation.asked.done'],
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
  const shelf = { ...withAsked(asked({ id: 'a', status: 'done', subject, result })), folder: '/work/.retool' };
  const group = importedNode('/work/.retool');
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
  const folders = ['/work/.retool', '/a/work/.retool'];
  store.setShelves(folders);
  expect([store.ids(), store.shelfIds()]).toEqual([[], []]);
  const [first, second] = folders.map((each) => store.shelfAt(each)!);
  // Ids stand in the addresses of documents, and stay the same.
  expect([first, second]).toEqual(['imported-in-work-2', 'imported-in-work']);
  store.setAsked(first!, [asked({ status: 'done' })]);
  expect(store.shelfIds()).toEqual([first]);
  expect(store.get(first!)).toMatchObject({ name: 'work', folder: '/work/.retool', asked: [{ done: 181 }] });
  store.setShelves(['/a/work/.retool']);
  expect(store.get(first!)).toBeUndefined();
  expect([store.ids(), store.shelfIds()]).toEqual([[], []]);
  expect(changed).toEqual([second, first, first, first]);
  store.dispose();
});
