import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeEvaluation } from '../../../src/run/evaluationFile';
import { GenerationLog } from '../../../src/run/evaluationFolder';
import { readEvaluation } from '../../../src/run/evaluationReport';
import type { EvaluationRequest } from '../../../src/schema/evaluation';
import type { Trajectory } from '../../../src/schema/trajectory';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'evaluation-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** `!` is right, `x` was lost to the sandbox, other letters are wrong answers. */
const sampled = (problemId: string, letters: string): Trajectory[] =>
  Array.from(letters, (letter, branch) => ({
    step: 0,
    problemId,
    branch,
    question: 'q',
    gold: '!',
    prompt: [1],
    turns: [],
    stop: letter === 'x' ? 'infrastructure' : 'answered',
    grade: {
      reward: 0,
      verdict: letter === '!' ? 'correct' : 'incorrect',
      formatted: true,
      predicted: letter,
      reason: '',
    },
    advantage: 0,
  }));

async function summaryOf(trajectories: Trajectory[], samples: number) {
  const path = join(folder, 'one.jsonl');
  const setting = { dataset: 'd', baseModel: 'local', modelPath: null, temperature: 1, topP: 1, samples };
  await writeEvaluation(path, trajectories, setting);
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  return JSON.parse(lines.at(-1)!) as Record<string, unknown>;
}

describe('the summary of an evaluation', () => {
  it('says what its samples and problems support', async () => {
    const summary = await summaryOf([...sampled('p', '!!!a'), ...sampled('q', '!aab'), ...sampled('r', 'abcd')], 4);
    expect(summary).toMatchObject({
      average_at_n: 1 / 3,
      pass_at_n: 2 / 3,
      pass_at_k: { 1: 1 / 3, 4: 2 / 3 },
      majority_at_n: 1 / 3,
      interval: { low: 0, high: 0.75 },
      not_supported: [],
      passed_problems: 2,
      infrastructure: 0,
    });
    expect(summary.standard_error).toBeCloseTo(0.220479, 6);
  });

  it('leaves out what the sandbox lost, and says what can no longer be told', async () => {
    const summary = await summaryOf([...sampled('p', '!!'), ...sampled('q', '!x'), ...sampled('r', 'xx')], 2);
    expect(summary).toMatchObject({
      average_at_n: 1,
      pass_at_k: { 1: 1 },
      interval: { low: expect.closeTo(0.34238, 6), high: 1 },
      infrastructure: 3,
      not_supported: ['pass@2 needs 2 samples of every problem, and one has 1.'],
    });
  });

  it('of a single problem has no interval', async () => {
    expect(await summaryOf(sampled('p', '!a'), 2)).toMatchObject({
      average_at_n: 0.5,
      standard_error: null,
      interval: null,
      not_supported: ['One problem says nothing of others: an interval needs at least two.'],
    });
  });

  it('counts the tokens of what was lost too, and says nothing where an endpoint counted none', async () => {
    const turn = { tokens: [], logprobs: [], text: 'x', added: [], seconds: 1 };
    const counted = (promptTokens: number, sampled: number) => (trajectory: Trajectory) => ({
      ...trajectory,
      prompt: [],
      promptTokens,
      turns: [{ ...turn, counts: { sampled, added: 0 } }],
    });
    const usage = async (trajectories: Trajectory[]) => {
      await summaryOf(trajectories, 2);
      return (await readEvaluation(join(folder, 'one.jsonl'))).usage;
    };
    expect(await usage(sampled('p', '!x').map(counted(100, 7)))).toEqual({ prompt: 200, sampled: 14 });
    expect(await usage(sampled('p', '!a').map(counted(0, 0)))).toBeUndefined();
  });
});

it.each([
  [
    'that ends without its summary',
    (lines: string[]) => lines.slice(0, -1),
    /, line 2: the file ends without a summary/,
  ],
  ['that is empty', () => [], /, line 1: the file ends without a summary/],
  [
    'whose lines are there twice',
    (lines: string[]) => [...lines, ...lines],
    /, line 4: the field "problem_id" is p, which an earlier line has too\.$/,
  ],
  [
    'that lacks a problem',
    (lines: string[]) => lines.slice(1),
    /, line 2: the summary counts 2 problems, and 1 are there\.$/,
  ],
])('a file %s is damaged, which is said with its line', async (_, damage, sentence) => {
  await summaryOf([...sampled('p', '!x'), ...sampled('q', '!!')], 2);
  const path = join(folder, 'one.jsonl');
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  await writeFile(
    path,
    damage(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
  await expect(readEvaluation(path)).rejects.toThrow(sentence);
});

it('whose generations cannot be written says so in one sentence, and how to go on', async () => {
  const request: EvaluationRequest = {
    version: 1,
    id: 'e',
    by: 'test',
    created: '2026-01-01T00:00:00.000Z',
    reason: 'asked',
    subject: { kind: 'endpoint', url: 'http://h.test', model: 'm' },
    protocol: {
      dataset: { name: 'd', problems: 1, digest: 'a' },
      mode: 'tool',
      samples: 1,
      temperature: 1,
      topP: 1,
      topK: -1,
      settings: {},
    },
  };
  const log = await GenerationLog.open(folder, request);
  await mkdir(join(folder, 'e', 'generations.jsonl'));
  const error: unknown = await log.append(sampled('p', '!')[0]!).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^The evaluation cannot be written to .*: it is a folder, not a file \(.*\)\.$/),
    hint: 'What was sampled before is kept: make room, or the folder writable, and ask for the same again.',
  });
});
