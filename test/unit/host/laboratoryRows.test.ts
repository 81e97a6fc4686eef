import { expect, it } from 'vitest';
import { createRule } from '../../../src/grading/createRule';
import { laboratory } from '../../../src/grading/laboratory';
import { laboratoryPage, placed, toCsv, toJsonl } from '../../../src/host/model/laboratoryRows';
import { RewardRuleName } from '../../../src/schema/reward';
import type { Trajectory } from '../../../src/schema/trajectory';
import { strings } from './support';

const trajectory = (problemId: string, branch: number, gold: string, text: string): Trajectory => ({
  step: 3,
  problemId,
  branch,
  question: 'q',
  gold,
  prompt: [],
  turns: [{ tokens: [], logprobs: [], text, added: [], seconds: 0 }],
  stop: 'answered',
  grade: { reward: 1, verdict: 'correct', formatted: true, predicted: null, reason: '' },
  advantage: 0,
});
const rules = RewardRuleName.options.map((rule) => createRule({ rule, adjustments: [] }));
const found = async (...trajectories: Trajectory[]) => ({
  ...(await laboratory(trajectories, rules)),
  own: 'torl' as const,
  leftOut: 2,
});

it('lists disagreements first, and tells not understood from wrong', async () => {
  const graded = await found(
    trajectory('a', 0, '5', '\\boxed{5}'),
    trajectory('b', 0, '7', '\\boxed{2^{9^{9^9}}}'),
    trajectory('b', 1, '1/2', '\\boxed{0.5}'),
  );
  const rows = placed(graded);
  const page = laboratoryPage('title', graded, rows, strings);
  expect(page.rows.map(({ label, disputed }) => [label, disputed])).toEqual([
    ['b · branch 0', true],
    ['b · branch 1', true],
    ['a · branch 0', false],
  ]);
  const verdicts = Object.fromEntries(page.rules.map(({ name }, at) => [name, page.rows[0]!.cells[at]!.verdict]));
  expect(verdicts).toMatchObject({ torl: 'unknown', 'dapo-strict-box-100-eq': 'incorrect' });
  expect(page.rules.filter(({ own }) => own).map(({ name }) => name)).toEqual(['torl']);
  expect(page.rules.find(({ name }) => name === 'torl')?.total).toBe(
    '2 of 3 correct, 1 not understood, mean reward +0.333',
  );
  expect(page.caption).toBe(
    '3 trajectories. The rules disagree on 2 of them; those come first. 2 left out: they failed, were withheld by a filter, are texts alone, or cannot be read.',
  );
});

it('exports every grade as JSON lines and as CSV', async () => {
  const rows = placed(await found(trajectory('a,"b"', 0, '5', '\\boxed{5}'), trajectory('c', 0, '5', '\\boxed{6}')));
  const lines = toJsonl(rows)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[0]).toMatchObject({ step: 3, problemId: 'a,"b"', disputed: false, grades: { torl: { reward: 1 } } });
  const [head, first, second] = toCsv(rows).trim().split('\r\n');
  expect(head).toMatch(/^step,problem,branch,gold,stop,disputed,signs,boxed-rational verdict,/);
  expect(first).toMatch(/^3,"a,""b""",0,5,answered,false,,correct,1,5,/);
  expect(second).toMatch(/,incorrect,-1,6,/);
});

it('lets no text of a model become a formula', async () => {
  const csv = toCsv(placed(await found(trajectory('a', 0, '-5', '\\boxed{=HYPERLINK("x")}'))));
  expect(csv).toContain(`"'=HYPERLINK(""x"")"`);
  expect(csv).toContain(',-5,answered');
});
