import { expect, test } from 'vitest';
import { childrenOf, parentKey, problemsOf, runNode, stepNode, trajectoriesOf } from '../../../src/host/model/treeNode';
import { treeRow } from '../../../src/host/model/treeRow';
import { summarize } from '../../../src/journal/rolloutIndex';
import { aRun, aTrajectory, aTurn, strings } from './support';

const labels = (run: ReturnType<typeof aRun>, nodes: Parameters<typeof treeRow>[0][]) =>
  nodes.map((node) => treeRow(node, run, strings).label);
const steps = (n: number) =>
  aRun(
    Array.from({ length: n }, () => 1),
    { total: n },
  );
const under = (run: ReturnType<typeof aRun>) => childrenOf({ kind: 'steps', key: 'run/steps', runId: 'run' }, run);

test('a run has a dashboard, its experiment, checkpoints, evaluations and steps', () => {
  const run = aRun([1, 1], { total: 4, reward: 0.131 });
  expect(labels(run, childrenOf(runNode('run'), run))).toEqual([
    'Dashboard',
    'Experiment',
    'Checkpoints',
    'Evaluations',
    'Steps',
  ]);
  expect(treeRow(runNode('run'), run, strings).description).toBe('+0.13 · 2/4 · ▄▄');
});

test('an interrupted run says so, and what is saved', () => {
  const run = {
    ...aRun([1, 1], { total: 4, status: 'interrupted' }),
    checkpoints: [{ phase: 'reinforcement' as const, step: 1, path: 'x', time: 0 }],
  };
  const row = treeRow(runNode('run'), run, strings);
  expect(row.description).toBe('Interrupted · 2/4 · last saved step 1');
  expect(row.context).toBe('run.interrupted');
});

test('steps are the newest first, in groups of 50 above 200', () => {
  expect(labels(steps(200), under(steps(200))).slice(0, 2)).toEqual(['Step 200', 'Step 199']);
  const many = steps(220);
  expect(labels(many, under(many))).toEqual([
    'Steps 201–220',
    'Steps 151–200',
    'Steps 101–150',
    'Steps 51–100',
    'Steps 1–50',
  ]);
  expect(labels(many, childrenOf(under(many)[4]!, many)).at(-1)).toBe('Step 1');
  expect(parentKey(stepNode('run', 7), many)).toBe('run/steps/1');
  expect(parentKey(stepNode('run', 7), steps(100))).toBe('run/steps');
});

test('problems show a dot for each trajectory, and groups that teach nothing', () => {
  const run = aRun([1, 1, 1], { total: 4 });
  const wrong = { reward: -1, verdict: 'incorrect' as const, formatted: true, predicted: '41', reason: '' };
  const of = (problemId: string, right: boolean[], advantage: number) =>
    right.map((correct, branch) =>
      summarize(
        aTrajectory([aTurn('x')], { problemId, branch, advantage, ...(correct ? {} : { grade: wrong }) }),
        0,
        1,
      ),
    );
  const rows = [...of('a', [true, false, true], 1), ...of('b', [false, false], 0)];
  const problems = problemsOf('run/steps/step-3', 'run', { step: 3 }, rows);
  expect(problems.map((problem) => treeRow(problem, run, strings).description)).toEqual([
    '2/3 · ●○●',
    '0/2 · no gradient · ○○',
  ]);
  const trajectories = trajectoriesOf(problems[0]!);
  expect(
    trajectories.map((node) => [treeRow(node, run, strings).label, treeRow(node, run, strings).description]),
  ).toEqual([
    ['branch 0', '42 · 0 calls · 5 tokens'],
    ['branch 1', '41 ≠ 42 · 0 calls · 5 tokens'],
    ['branch 2', '42 · 0 calls · 5 tokens'],
  ]);
});
