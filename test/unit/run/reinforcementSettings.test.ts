import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import type { ActiveRun } from '../../../src/run/runControl';
import { Runs } from '../../../src/run/runs';
import type { JournalRecord } from '../../../src/schema/journal';
import { essenceOf, smallExperiment, trainerScript } from '../../support/smallRun';

const small = {
  steps: 3,
  problemsPerStep: 3,
  groupSize: 6,
  minibatches: 2,
  learningRate: 0.002,
  warmupSteps: 0,
  decayFraction: 0,
  finalFraction: 1,
};
const runs = new Runs({ trainerScript, version: 'test' });

/** @param stopAfter step of the reinforcement after which the run is stopped once, and resumed. */
async function complete(reinforcement: Record<string, unknown>, stopAfter?: number): Promise<ActiveRun> {
  const experiment = await smallExperiment({ reinforcement: { ...small, ...reinforcement } });
  let run: ActiveRun | undefined;
  const onRecord = (record: JournalRecord) => {
    if (record.kind === 'step' && record.phase === 'reinforcement' && record.step === stopAfter) run?.stop();
  };
  run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') }, onRecord);
  if (stopAfter !== undefined) {
    expect(await run.done).toBe('stopped');
    run = await runs.resume(run.folder);
  }
  expect(await run.done, run.failure?.message).toBe('completed');
  return run;
}

const metricsOf = async ({ folder }: ActiveRun) =>
  (await readRun(folder)).points.filter(({ phase }) => phase === 'reinforcement').map(({ metrics }) => metrics);

describe('a run on the local trainer', { timeout: 120_000 }, () => {
  it('with every sampling filter is reproducible, and goes on after a stop as if there had been none', async () => {
    const filters = {
      advantage: 'standardised',
      outcomeGate: true,
      maskVoidTurns: true,
      resampleOnCorrect: 4,
      dynamicSampling: { maxBatches: 4, overSampling: 1.5 },
    };
    const whole = await complete(filters);
    const metrics = await metricsOf(whole);
    for (const step of metrics) {
      expect(step['rollout/generation_batches']).toBeGreaterThanOrEqual(1);
      expect(step).toHaveProperty('rollout/dropped_no_correct');
      expect(step).toHaveProperty('rollout/masked_void_turns');
    }
    expect(metrics.some((step) => step['rollout/generation_batches']! > 1)).toBe(true);
    expect(metrics.some((step) => step['rollout/resampled_out']! > 0)).toBe(true);
    const expected = await essenceOf(whole.folder);
    expect(await essenceOf((await complete(filters, 1)).folder)).toEqual(expected);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['dual clip', { dualClip: 3 }, ['train/dual_clip_fraction']],
    ['gspo', { kind: 'gspo', clipLow: 0.9997, clipHigh: 1.0004, aggregation: 'sequenceMeanTokenMean' }, []],
    [
      'a KL penalty and truncated importance weights',
      { kl: { coefficient: 0.05 }, importanceCorrection: {}, aggregation: 'sequenceMeanTokenSum', meanOver: 'sampled' },
      ['train/kl', 'train/importance_weight_mean', 'train/importance_weight_bounded'],
    ],
  ])('learns with %s, and goes on after a stop as if there had been none', async (_, loss, names) => {
    const whole = await complete({ loss });
    const metrics = await metricsOf(whole);
    const updated = metrics.filter((step) => step['train/updates']! > 0);
    expect(updated.length).toBeGreaterThan(0);
    for (const step of updated) {
      for (const name of ['train/loss', 'train/gradient_norm', 'train/clip_fraction', ...names]) {
        expect(step[name], name).toBeTypeOf('number');
      }
      expect(step['train/gradient_norm']).toBeGreaterThan(0);
    }
    if (names.includes('train/kl')) {
      expect(metrics.at(-1)!['train/kl']).toBeGreaterThan(0);
      expect(updated[0]!['train/importance_weight_mean']).toBeCloseTo(1, 4);
    }
    expect(await essenceOf((await complete({ loss }, 2)).folder)).toEqual(await essenceOf(whole.folder));
  });

  it('gets from a loss computed here the weights that it gets from the built-in one, to rounding', async () => {
    const builtIn = await metricsOf(await complete({ minibatches: 1, loss: { kind: 'ppo' } }));
    const here = await metricsOf(await complete({ minibatches: 1, loss: { kind: 'ppo', dualClip: 1e6 } }));
    expect(here[0]!['train/gradient_norm']).toBeCloseTo(builtIn[0]!['train/gradient_norm']!, 5);
    expect(here[0]!['train/loss']).toBeCloseTo(builtIn[0]!['train/loss']!, 5);
  });
});
