import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { readRolloutsAt, readTrajectoryAt } from '../../../src/journal/rolloutPlace';
import { trajectoryText } from '../../../src/journal/trajectoryText';
import { Runs } from '../../../src/run/runs';
import { trainerScript } from '../../support/smallRun';

const file = resolve('..', 'shared', 'data', 'dapo-math-17k.sample1000.jsonl');
const missing = existsSync(file) ? '' : ` (skipped: ${file} is not here)`;

it.skipIf(missing)(
  `three steps on problems that we did not make end well, and nothing is invented${missing}`,
  { timeout: 600_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'retool-small-'));
    const experiment = {
      name: 'dapo',
      service: { context: 2048 },
      data: { train: file },
      budgets: { turns: 2, calls: 1, turnTokens: 24, trajectoryTokens: 2048, observationTokens: 16 },
      reinforcement: {
        steps: 3,
        problemsPerStep: 8,
        groupSize: 2,
        minibatches: 1,
        learningRate: 1e-3,
        warmupSteps: 0,
        decayFraction: 0,
        finalFraction: 1,
      },
    };
    const path = join(folder, 'dapo.retool.json');
    await writeFile(path, JSON.stringify(experiment));
    const run = await new Runs({ trainerScript, version: 'test' }).start({
      experiment: path,
      runs: join(folder, 'runs'),
    });
    expect(await run.done, run.failure?.message).toBe('completed');

    const state = await readRun(run.folder);
    const problems = state.facts?.problems;
    const { train = 0, leftOut = 0, repeated = 0, contradictory = 0 } = problems ?? {};
    expect(train + leftOut + repeated + contradictory).toBe(1000);
    expect({ repeated, contradictory }).toEqual({ repeated: 5, contradictory: 2 });
    const told = state.notices.filter(({ step }) => step === 0).map(({ message }) => message);
    expect(told).toContainEqual(
      expect.stringMatching(/^data\.train: questions with different answers: 1 \(lines 36 and 180/),
    );
    // An untrained policy is right never: no group has a signal, and no update is made up.
    expect(state.points.map(({ metrics }) => metrics['rollout/zero_variance_groups'])).toEqual([1, 1, 1]);
    expect(state.points.map(({ metrics }) => metrics['train/updates'])).toEqual([0, 0, 0]);
    expect(state.notices.filter(({ message }) => message.includes('no update'))).toHaveLength(1);
    for (const step of [1, 2, 3]) {
      const rows = await readRolloutsAt(run.folder, { step });
      expect(rows).toHaveLength(16);
      const trajectory = await readTrajectoryAt(run.folder, { step }, rows[0]!.problemId, 0);
      expect(trajectoryText(trajectory)).toContain(trajectory.question);
    }
  },
);
