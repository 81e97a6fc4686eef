import { expect, it } from 'vitest';
import { createRule } from '../../../src/grading/createRule';
import { laboratory } from '../../../src/grading/laboratory';
import { Experiment } from '../../../src/schema/experiment';
import type { RewardRuleName } from '../../../src/schema/reward';
import type { ToolResult, Turn } from '../../../src/schema/trajectory';

const rule = (name: RewardRuleName) => createRule({ ...Experiment.shape.reward.parse({}), rule: name });
const turn = (text: string, stdout?: string): Turn => ({
  tokens: [],
  logprobs: [],
  text,
  added: [],
  seconds: 0,
  ...(stdout !== undefined && { code: text, result: { status: 'ok', stdout } as ToolResult }),
});
const trajectory = (...turns: Turn[]) => ({ gold: '7', turns, stop: 'answered' as const });
const flags = (...turns: Turn[]) => rule('last-box-math').grade(trajectory(...turns)).flags;

it('flags several different boxes in the last turn', () => {
  expect(flags(turn('It is 7. \\boxed{6} or \\boxed{7}'))).toEqual(['severalBoxes']);
  expect(flags(turn('It is 7. \\boxed{7}, so \\boxed{ 7 }'))).toBe(undefined);
});

it('flags a box that the code printed and the answer copies', () => {
  expect(flags(turn('print(r"\\boxed{7}")', '\\boxed{7}\n'), turn('\\boxed{7}'))).toEqual(['copiedBox']);
  expect(flags(turn('print(7)', '7\n'), turn('\\boxed{7}'))).toBe(undefined);
});

it('flags an answer that appears nowhere in the reasoning', () => {
  expect(flags(turn('We have 17 and then 70, so the sum is known. \\boxed{7}'))).toEqual(['unsupported']);
  expect(flags(turn('So the answer is \\boxed{7}'))).toBe(undefined);
  expect(flags(turn('print(8)', '8\n'), turn('\\boxed{7}'))).toEqual(['unsupported']);
  expect(flags(turn('2 + 5 = 7. \\boxed{7}'))).toBe(undefined);
  // What the model is shown repeats what was printed: together they are no longer number.
  expect(flags({ ...turn('print(7)', '7\n'), observation: '7' }, turn('\\boxed{7}'))).toBe(undefined);
  expect(flags({ ...turn('print(2742)', '2742\n\n'), observation: '2742' }, turn('\\boxed{2742}'))).toBe(undefined);
  expect(flags(turn('print(1, 7, 4)', '1 7 4\n'), turn('\\boxed{7}'))).toBe(undefined);
  expect(flags(turn('\\boxed{7}<|im_end|>'))).toBe(undefined);
});

it('doubts no answer that earned nothing', () => {
  expect(flags(turn('It is 7. \\boxed{7} or \\boxed{6}'))).toBe(undefined);
  expect(flags(turn('print(7)', '7\n'), turn('\\boxed{8}'))).toBe(undefined);
});

it('changes no reward for a flag', () => {
  expect(rule('last-box-math').grade(trajectory(turn('\\boxed{6} or \\boxed{7}'))).reward).toBe(1);
});

it('lists in the laboratory where rules disagree', async () => {
  const rows = [trajectory(turn('\\boxed{7}')), trajectory(turn('\\boxed{7.0}')), trajectory(turn('seven'))];
  const { disagreements, totals } = await laboratory(rows, [rule('last-box-math'), rule('dapo-strict-box-100-eq')]);
  expect(disagreements.map(({ trajectory: { turns } }) => turns[0]!.text)).toEqual(['\\boxed{7.0}']);
  expect(totals['last-box-math']).toEqual({ correct: 2, unknown: 0, formatted: 2, reward: 1 / 3 });
  expect(totals['dapo-strict-box-100-eq']).toMatchObject({ correct: 1, formatted: 2 });
});

it('goes through a hundred thousand boxes, and as many spaces, once', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => `\\boxed{${index % 7}}`).join(' ');
  expect(flags(turn(`It is seven, as everybody can see. ${many} \\boxed{7}`))).toEqual(['severalBoxes', 'unsupported']);
  expect(flags(turn(`${'17'.repeat(100_000)} or 1${' '.repeat(100_000)}2, it is known. \\boxed{7}`))).toEqual([
    'unsupported',
  ]);
  expect(flags(turn('print()', '\\boxed{7}\n'.repeat(100_000)), turn(`${many} \\boxed{7}`))).toEqual([
    'severalBoxes',
    'copiedBox',
  ]);
});
