import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measures } from '../../../src/behaviour/measures';
import { createStrings } from '../../../src/host/strings';
import { trajectoriesAt, unreadText } from '../../../src/journal/rolloutPlace';
import { rolloutFile } from '../../../src/journal/runFolder';
import { behaviourAt, behaviourOverSteps, sampledSteps } from '../../../src/run/runBehaviour';
import { trajectoryOf } from '../behaviour/support';

let run: string;
const problemLine = () => readFile(join(run, 'evaluations/mixed.jsonl'), 'utf8');
beforeAll(async () => {
  run = await mkdtemp(join(tmpdir(), 'behaviour-'));
  await mkdir(join(run, 'rollouts'));
  await mkdir(join(run, 'evaluations'));
  const trajectories = [trajectoryOf([{ code: 'print(1)', status: 'ok' }]), trajectoryOf([{}], { branch: 1 })];
  await writeFile(rolloutFile(run, 1), trajectories.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const generation = {
    correct: true,
    formatted: true,
    code_calls: 0,
    turns: 1,
    completion_tokens: 1,
    text: '\\boxed{42}',
  };
  const problem = { type: 'problem', problem_id: 'p', problem: 'q', ground_truth: '42', val_n: 2, num_correct: 2 };
  const written = (generations: object[]) => `${JSON.stringify({ ...problem, pass_at_n: true, generations })}\n`;
  await writeFile(
    join(run, 'evaluations/mixed.jsonl'),
    written([generation, { ...generation, trajectory: trajectories[0] }]),
  );
  await writeFile(join(run, 'evaluations/bare.jsonl'), written([generation, generation]));
});
afterAll(() => rm(run, { recursive: true, force: true }));

describe('behaviour', () => {
  it('of a step is read from its rollout file', async () => {
    const { all } = await behaviourAt(run, { step: 1 });
    expect([all.trajectories, all.withCall]).toEqual([2, 1]);
  });

  it('of an evaluation counts generations that have no trajectory apart', async () => {
    const { all, withoutTrajectory } = await behaviourAt(run, { evaluation: 'mixed' });
    expect([all.trajectories, withoutTrajectory]).toEqual([1, 1]);
  });

  it.each([
    [{ evaluation: 'bare' }, /holds no trajectories/],
    [{ evaluation: 'none' }, /No trajectories are stored/],
    [{ step: 9 }, /No trajectories are stored/],
  ])('of %j is refused in a sentence', async (place, sentence) => {
    await expect(behaviourAt(run, place)).rejects.toThrow(sentence);
  });

  it('of a torn file counts what can be read, and says how much could not and where', async () => {
    const [whole] = [trajectoryOf([{ code: 'print(1)', status: 'ok' }])];
    const lines = [JSON.stringify(whole), '{"step":1,"problemId"', '', '[]', JSON.stringify(whole).slice(0, 80)];
    await writeFile(rolloutFile(run, 2), lines.join('\n'));
    const { all, unread } = await behaviourAt(run, { step: 2 });
    expect([all.trajectories, all.calls, unread]).toEqual([1, 1, { lines: 3, first: 2 }]);
    expect(unreadText('RUN', { step: 2 }, unread!)).toBe(
      '3 lines of RUN/rollouts/000002.jsonl cannot be read and are left out, the first is line 2.',
    );
    const evaluation = { evaluation: 'torn' };
    await appendFile(join(run, 'evaluations/torn.jsonl'), `{"type":\n${await problemLine()}`);
    const torn = await behaviourAt(run, evaluation);
    expect([torn.all.trajectories, torn.unread]).toEqual([1, { lines: 1, first: 1 }]);
    const graded = [];
    for await (const each of trajectoriesAt(run, evaluation)) graded.push(each.branch);
    expect(graded).toEqual([0, 0]);
  });

  it('over steps goes on after one of which nothing can be read', async () => {
    await writeFile(rolloutFile(run, 3), 'torn\ntorn\n');
    const told = [];
    for await (const { place, all, failure } of behaviourOverSteps(run, [1, 3, 9, 2])) {
      told.push([place, all.trajectories, failure]);
    }
    expect(told).toEqual([
      [{ step: 1 }, 2, undefined],
      [{ step: 3 }, 0, expect.stringMatching(/^2 lines of .*000003\.jsonl cannot be read/)],
      [{ step: 9 }, 0, expect.stringMatching(/^No trajectories are stored/)],
      [{ step: 2 }, 1, undefined],
    ]);
  });

  it('ends when it is told to', async () => {
    await expect(behaviourAt(run, { step: 1 }, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('has a word for every measure in the editor', () => {
    const told = createStrings((message) => message).behaviour.measures;
    expect(told.map(({ name, form }) => [name, form])).toEqual(measures.map(({ name, form }) => [name, form]));
  });
});

describe('steps that are looked at', () => {
  const steps = Array.from({ length: 200 }, (_, index) => index + 1);

  it('are at most 60, evenly, the first and the last among them', () => {
    const sampled = sampledSteps(steps);
    expect(sampled).toHaveLength(60);
    expect([sampled[0], sampled.at(-1)]).toEqual([1, 200]);
    expect(new Set(sampled).size).toBe(60);
    expect(sampledSteps(steps.slice(0, 60))).toEqual(steps.slice(0, 60));
  });

  it('are every K-th and the last where that is asked for', () => {
    expect(sampledSteps(steps, 90)).toEqual([1, 91, 181, 200]);
  });
});
