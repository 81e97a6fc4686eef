import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openProblems } from '../../../src/datasets/problemFile';
import { readProblems } from '../../support/readProblems';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'shapes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function file(records: readonly object[], name = 'set.jsonl'): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, records.map((record) => JSON.stringify(record)).join('\n'));
  return path;
}

const user = (content: string) => [
  { role: 'system', content: 'Use Python.' },
  { role: 'user', content },
];
const dapo = (question: string) =>
  `Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n${question}\n\nRemember to put your answer on its own line after "Answer:".`;
const q = 'What is 2+3?';

describe('a problem set of another shape', () => {
  it.each([
    ['PyTRIO', { id: 'x', question: q, answer: '5', data_source: 'dapo' }, { id: 'x', kind: 'dapo' }],
    [
      'DAPO, raw',
      {
        data_source: 'math_dapo',
        prompt: [{ role: 'user', content: dapo(q) }],
        ability: 'MATH',
        reward_model: { ground_truth: '5', style: 'rule' },
        extra_info: { index: 'uuid' },
      },
      { id: 'uuid', kind: 'math_dapo' },
    ],
    [
      'DAPO with a list of golds',
      { prompt: [{ role: 'user', content: dapo(q) }], reward_model: { ground_truth: ['5'] } },
      { id: 'set-1' },
    ],
    [
      'DAPO with a list that was made a text',
      { prompt: [{ role: 'user', content: dapo(q) }], reward_model: { ground_truth: '["5"]' } },
      { id: 'set-1' },
    ],
    [
      'verl',
      {
        data_source: 'aime',
        prompt: [{ role: 'user', content: `${q}\nThe answer format must be: \\boxed{'The final answer goes here.'}` }],
        ability: 'MATH',
        reward_model: { ground_truth: '5' },
        agent_name: 'tool_agent',
      },
      { id: 'set-1', kind: 'aime' },
    ],
    [
      'ToRL',
      { prompt: user(q), reward_model: { ground_truth: '5', stype: 'x' }, extra_info: { id: 7, split: 'test' } },
      { id: '7' },
    ],
    ['slime', { prompt: q, label: '5' }, { id: 'set-1' }],
    ['slime with a conversation', { prompt: user(dapo(q)), label: 5 }, { id: 'set-1' }],
    ['AReaL', { messages: user(q), answer: '5' }, { id: 'set-1' }],
    ['AIME 2025', { id: 3, problem: q, answer: 5 }, { id: '3' }],
    ['AIME 2024', { ID: '2024-I-1', Problem: q, Solution: '...', Answer: 5 }, { id: '2024-I-1' }],
    ["ReTool's AIME", { input: q, output: '5' }, { id: 'set-1' }],
  ])('is read: %s', async (_, record, expected) => {
    expect(await readProblems(await file([record]))).toEqual([{ question: q, answer: '5', ...expected }]);
  });

  it('keeps a question that only resembles the wrapper', async () => {
    const question = `${dapo(q)} Thanks.`;
    expect(await readProblems(await file([{ prompt: question, label: '5' }]))).toMatchObject([{ question }]);
  });

  it('is refused where its columns fit none, with those that it has and the shapes that are known', async () => {
    const path = await file([{ text: 'x', gold: '1' }]);
    await expect(openProblems(path)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(
        /set\.jsonl has the columns text, gold, which fit none of the shapes \{question, answer\} \(ReTool, PyTRIO\), \{prompt, reward_model\.ground_truth\}/,
      ),
    });
  });

  it('names the field that is wrong as the file does', async () => {
    const good = { prompt: user(q), reward_model: { ground_truth: '5' } };
    const faults = async (record: object) => {
      const rows = [];
      for await (const row of (await openProblems(await file([good, record]))).rows()) rows.push(row);
      return rows.at(-1);
    };
    expect(await faults({ ...good, prompt: [{ role: 'assistant', content: 'x' }] })).toMatchObject({
      number: 2,
      fault: 'the field "prompt" is a list that is not read as one text.',
    });
    expect(await faults({ ...good, reward_model: {} })).toEqual({
      number: 2,
      fault: 'the field "reward_model.ground_truth" is missing.',
      emptyAnswer: true,
    });
  });
});

describe('a Parquet file', () => {
  const support = join(import.meta.dirname, '../../support');

  it('with nested columns, zstd and several row groups is read row by row', async () => {
    const { unit } = await openProblems(join(support, 'torl.parquet'));
    const problems = await readProblems(join(support, 'torl.parquet'));
    expect(unit).toBe('row');
    expect(problems).toHaveLength(10);
    expect(problems[9]).toEqual({
      id: '1',
      question: 'What is 9 times 1001? 答案是多少?',
      answer: '9009',
      kind: 'aime24',
    });
  });

  it('with 64-bit whole numbers loses no digit', async () => {
    expect(await readProblems(join(support, 'numbers.parquet'))).toEqual([
      { id: '1', question: 'How much is -7?', answer: '-7' },
      { id: '2', question: 'How much is 0?', answer: '0' },
      { id: '9007199254740993', question: 'How much is 9007199254740993?', answer: '9007199254740993' },
    ]);
  });

  it('that was cut is refused in a sentence', async () => {
    const bytes = await readFile(join(support, 'torl.parquet'));
    const path = join(folder, 'cut.parquet');
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
    await expect(openProblems(path)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(/cut\.parquet is no Parquet file that can be read/),
    });
  });
});

const data = join(import.meta.dirname, '../../../../shared/data');
const missing = existsSync(data) ? '' : ' (skipped: ../shared/data is not beside the checkout)';

describe.skipIf(missing)(`sets that others made${missing}`, () => {
  it('lose no row: 600 of DAPO, each with the question of its source and no wrapper', async () => {
    const wrapped = await readProblems(join(data, 'dapo-math-17k.verl-format.sample600.jsonl'));
    const plain = await readProblems(join(data, 'dapo-math-17k.sample1000.jsonl'));
    expect(wrapped.map(({ question, answer }) => ({ question, answer }))).toEqual(
      plain.slice(0, 600).map(({ question, answer }) => ({ question, answer })),
    );
  });

  it("lose no row: 960 of the DAPO authors' AIME", async () => {
    const problems = await readProblems(join(data, 'aime-2024.bytedtsinghua.parquet'));
    expect(problems).toHaveLength(960);
    expect(new Set(problems.map(({ question }) => question)).size).toBe(30);
    expect(problems.every(({ question, answer }) => !question.includes('Answer:') && /^\d+$/.test(answer))).toBe(true);
  });
});
