import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measures } from '../../../src/behaviour/measures';
import { createStrings } from '../../../src/host/strings';
import { rolloutFile } from '../../../src/journal/runFolder';
import { behaviourAt, sampledSteps } from '../../../src/run/runBehaviour';
import { trajectoryOf } from '../behaviour/support';

let run: string;
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
