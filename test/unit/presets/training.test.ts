import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { provideExampleData } from '../../../src/presets/exampleData';
import { isReduced, type Preset, presets } from '../../../src/presets/presets';
import { presetText } from '../../../src/presets/presetText';
import { gatherMaterials } from '../../../src/run/materials';
import { planRun } from '../../../src/run/planner';
import { Runs } from '../../../src/run/runs';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { smallExperiment, trainerScript } from '../../support/smallRun';

const small = presets.filter(isReduced).map((preset) => [preset.name, preset] as const);

async function written(preset: Preset) {
  const folder = await mkdtemp(join(tmpdir(), 'retool-preset-'));
  await provideExampleData(preset, resolve('examples'), folder);
  const path = join(folder, 'preset.retool.json');
  await writeFile(path, presetText(preset, preset.name));
  return path;
}

describe('a reduced preset', () => {
  it.each(small)('%s has no setting that leaves no room for another', { timeout: 60_000 }, async (_, preset) => {
    const experiment = await written(preset);
    const materials = await gatherMaterials({ experiment, runs: 'runs' }, localVocabulary);
    const { problems } = planRun(materials, undefined);
    expect(problems.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it.each(small)('%s trains, and its journal tells all of it', { timeout: 120_000 }, async (_name, preset) => {
    const { data: _, ...whole } = parse(presetText(preset, preset.name));
    const steps = whole.reinforcement.steps === 0 ? 0 : 3;
    const imitation = { demonstrations: 'demonstrations.jsonl', steps: 60, batchSize: 8, learningRate: 0.01 };
    const experiment = await smallExperiment({
      ...whole,
      coldStart: { ...whole.coldStart, ...imitation, checkpointEvery: 100 },
      reinforcement: { ...whole.reinforcement, steps, ...(steps > 0 && { problemsPerStep: 4 }) },
      evaluation: { ...whole.evaluation, limit: 2 },
    });
    const runs = new Runs({ trainerScript, version: 'test' });
    const run = await runs.start({ experiment, runs: join(experiment, '../runs'), allowUnsafeSandbox: true });
    expect(await run.done).toBe('completed');
    const state = await readRun(run.folder);
    const numbers = (phase: string) => state.points.filter((point) => point.phase === phase).map(({ step }) => step);
    expect(numbers('coldStart')).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(numbers('reinforcement')).toEqual([1, 2, 3].slice(0, steps));
    expect(state).toMatchObject({ status: 'completed', step: steps || 60, skipped: 0 });
    expect(Object.keys(state.evaluations)).toEqual(['before', 'after']);
    for (const { metrics } of state.points) {
      expect(Object.values(metrics).every(Number.isFinite)).toBe(true);
      expect(metrics['train/logprob_gap_max'] ?? 0).toBeLessThan(1e-3);
      expect(metrics['rollout/infrastructure'] ?? 0).toBe(0);
    }
    const updates = state.points.map(({ metrics }) => metrics['train/updates'] ?? 0);
    expect(updates.some((count) => count > 0)).toBe(steps > 0);
  });
});
