import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { readRolloutsAt } from '../../../src/journal/rolloutPlace';
import type { ActiveRun } from '../../../src/run/runControl';
import { endedEvaluations } from '../../../src/run/runEvaluations';
import { Runs } from '../../../src/run/runs';
import type { JournalRecord } from '../../../src/schema/journal';
import { essenceOf, smallExperiment, trainerScript } from '../../support/smallRun';

const experimentWith = (evaluation: object) =>
  smallExperiment({
    evaluation: { samplesPerProblem: 2, everyCheckpoints: 1, ...evaluation },
    checkpoints: { keepLast: 1, keepEvery: 2 },
    coldStart: { demonstrations: 'demonstrations.jsonl', steps: 20, batchSize: 8, checkpointEvery: 20 },
    reinforcement: { steps: 6, problemsPerStep: 4, groupSize: 4, minibatches: 2, learningRate: 0.002 },
  });
const runs = new Runs({ trainerScript, version: 'test' });

/** Trains to the end, and lets `disturb` end it at each record that it names. */
async function train(evaluation: object, disturb: Record<string, 'stop' | 'abort'> = {}): Promise<ActiveRun> {
  const left = new Map(Object.entries(disturb));
  let run: ActiveRun | undefined;
  const onRecord = (record: JournalRecord) => {
    const name = `${record.kind} ${'id' in record ? record.id : 'step' in record ? record.step : ''}`;
    const how = left.get(name);
    if (!how) return;
    left.delete(name);
    run?.[how]();
  };
  const experiment = await experimentWith(evaluation);
  run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') }, onRecord);
  const { folder } = run;
  while ((await run.done) === 'stopped') run = await runs.resume(folder, onRecord);
  expect(await run.done, run.failure?.message).toBe('completed');
  expect([...left.keys()]).toEqual([]);
  return run;
}

const evaluationsOf = async (folder: string) =>
  Promise.all(
    ['step-000002', 'step-000004'].map(async (id) => {
      const text = await readFile(join(folder, 'evaluations', `${id}.jsonl`), 'utf8');
      return text
        .replaceAll(/"(seconds|queueSeconds|cpuSeconds|peakMemoryBytes|seconds_per_generation)":[\d.e+-]+/g, '"$1":0')
        .replaceAll(/tinker:\/\/[\w-]+/g, '');
    }),
  );

describe('a run that evaluates its checkpoints as it goes on', { timeout: 120_000 }, () => {
  it('does so at every kept one but the last, and ends alike however often it is ended in between', async () => {
    const whole = await train({ budgetShare: 1 });
    const state = await readRun(whole.folder);
    const { before, after, ...within } = state.evaluations;
    expect(Object.entries(within).map(([id, { step, rollouts }]) => [id, step, rollouts])).toEqual([
      ['step-000002', 2, 8],
      ['step-000004', 4, 8],
    ]);
    expect([before?.result?.tokens, after?.result?.tokens].every((tokens) => tokens! > 0)).toBe(true);
    const told = state.points.flatMap(({ step, metrics }) =>
      metrics['evaluation/correct'] === undefined ? [] : [[step, metrics['evaluation/correct']]],
    );
    expect(told).toEqual([
      [3, within['step-000002']?.result?.correct],
      [5, within['step-000004']?.result?.correct],
    ]);
    expect(await readRolloutsAt(whole.folder, { evaluation: 'step-000004' })).toHaveLength(8);
    const ended = await endedEvaluations(state);
    expect(ended.map(({ id, subject }) => [id, subject.kind === 'checkpoint' && subject.path !== undefined])).toEqual([
      ['before', true],
      ['step-000002', true],
      ['step-000004', true],
      ['after', true],
    ]);

    const disturbed = await train(
      { budgetShare: 1 },
      {
        'evaluationStarted step-000002': 'abort',
        'checkpoint 4': 'stop',
        'evaluationStarted step-000004': 'stop',
        'evaluated step-000004': 'abort',
      },
    );
    const { weights: expectedWeights, ...expected } = (await essenceOf(whole.folder)) as { weights: object };
    const { weights, ...essence } = (await essenceOf(disturbed.folder)) as { weights: object };
    expect(essence).toEqual(expected);
    expect(weights).toEqual(expectedWeights);
    expect(await evaluationsOf(disturbed.folder)).toEqual(await evaluationsOf(whole.folder));
  });

  it('leaves out what would go beyond its share of the tokens, and says so once', async () => {
    const whole = await train({ budgetShare: 0.05 });
    const { evaluations, notices, points } = await readRun(whole.folder);
    const left = notices.filter(({ message }) => / is left out: with it evaluations would have taken/.test(message));
    expect(left.map(({ step }) => step)).toEqual([2, 4]);
    expect(left[0]?.message).toMatch(
      /^The evaluation of step 2 is left out: .* \d+ % .* evaluation\.budgetShare is 5 %\.$/,
    );
    expect(Object.keys(evaluations)).toEqual(['before', 'after']);
    expect(points.at(-1)?.metrics['rollout/total_sampled_tokens']).toBe(
      points.reduce((sum, { metrics }) => sum + (metrics['rollout/sampled_tokens'] ?? 0), 0),
    );
    const disturbed = await train({ budgetShare: 0.05 }, { 'step 2': 'stop', 'checkpoint 4': 'abort' });
    const { weights: _a, ...expected } = (await essenceOf(whole.folder)) as { weights: object };
    const { weights: _b, ...essence } = (await essenceOf(disturbed.folder)) as { weights: object };
    expect(essence).toEqual(expected);
  });

  it('is refused where no checkpoint is kept for good, or there is nothing to evaluate on', async () => {
    const start = async (change: Record<string, unknown>) => {
      const experiment = await smallExperiment({ evaluation: { everyCheckpoints: 1 }, ...change });
      return runs.start({ experiment, runs: join(dirname(experiment), 'runs') });
    };
    await expect(start({ checkpoints: { keepEvery: 0 } })).rejects.toThrow(
      /evaluation\.everyCheckpoints \(line \d+\) counts the checkpoints that are kept for good/,
    );
    await expect(start({ data: { train: 'train.jsonl' } })).rejects.toThrow(/needs problems to evaluate on/);
  });
});
