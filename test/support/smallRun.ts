import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readRun } from '../../src/journal/readRun';
import type { RunState } from '../../src/schema/runState';

/** Built by the global set-up of the tests. */
export const trainerScript = resolve('dist', 'trainer.js');
export const cliScript = resolve('dist', 'cli.js');

export const smallService = { context: 64, layers: 2, width: 48, heads: 4 };

/** A folder with an experiment that goes through every phase in seconds, and its data. @returns the experiment's path. */
export async function smallExperiment(change: Record<string, unknown> = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'retool-small-'));
  const problems = Array.from({ length: 12 }, (_, i) => {
    const [a, b] = [2 + (i % 4), 3 + (i % 7)];
    return { id: `p-${i}`, question: `${a}*${b}`, answer: String(a * b), kind: i % 2 ? 'odd' : 'even' };
  });
  const lines = (items: object[]) => `${items.map((item) => JSON.stringify(item)).join('\n')}\n`;
  await writeFile(join(folder, 'train.jsonl'), lines(problems.slice(0, 8)));
  await writeFile(join(folder, 'evaluation.jsonl'), lines(problems.slice(8)));
  const demonstrations = problems.slice(0, 8).map((problem) => ({ ...problem, code: `print(${problem.question})` }));
  await writeFile(join(folder, 'demonstrations.jsonl'), lines(demonstrations));
  const experiment = {
    name: 'small',
    seed: 3,
    service: smallService,
    data: { train: 'train.jsonl', evaluation: 'evaluation.jsonl' },
    budgets: { turns: 3, calls: 2, turnTokens: 16, trajectoryTokens: 64, observationTokens: 12 },
    coldStart: {
      demonstrations: 'demonstrations.jsonl',
      steps: 60,
      batchSize: 8,
      toolShare: 0.6,
      learningRate: 0.01,
      warmupSteps: 4,
      checkpointEvery: 25,
    },
    reinforcement: {
      steps: 4,
      problemsPerStep: 4,
      groupSize: 4,
      minibatches: 2,
      learningRate: 0.002,
      warmupSteps: 0,
      decayFraction: 0,
      finalFraction: 1,
    },
    checkpoints: { keepLast: 2, keepEvery: 3 },
    ...change,
  };
  const path = join(folder, 'small.retool.json');
  await writeFile(path, JSON.stringify(experiment, null, 2));
  return path;
}

const timed = /^(time|perf)\/|_seconds$/;
/** Session ids are part of checkpoint paths. */
const nameOf = (path: string) => path.split('/').at(-1);

/** What two runs of the same experiment and seed must have in common, to the bit. */
export async function essenceOf(folder: string): Promise<object> {
  const run = await readRun(folder);
  return { run: essenceOfState(run), weights: await weightsOf(folder), rollouts: await rolloutsOf(folder) };
}

function essenceOfState({ status, phase, step, points, checkpoints, evaluations, notices }: RunState): object {
  return {
    status,
    phase,
    step,
    points: points.map((point) => ({
      ...point,
      time: 0,
      metrics: Object.fromEntries(Object.entries(point.metrics).filter(([name]) => !timed.test(name))),
    })),
    checkpoints: checkpoints.map((checkpoint) => ({ ...checkpoint, path: nameOf(checkpoint.path), time: 0 })),
    evaluations: Object.fromEntries(
      Object.entries(evaluations).map(([id, each]) => [id, { ...each, startedAt: 0, seconds: 0 }]),
    ),
    notices,
  };
}

/** SHA-256 of every checkpoint file, by its name; none where a trainer elsewhere keeps them. */
async function weightsOf(folder: string): Promise<object> {
  const saved = join(folder, 'checkpoints');
  const entries = await readdir(saved, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).sort((a, b) => (a.name < b.name ? -1 : 1));
  return Object.fromEntries(
    await Promise.all(
      files.map(async ({ name, parentPath }) => {
        const bytes = await readFile(join(parentPath, name));
        return [name, createHash('sha256').update(bytes).digest('hex')];
      }),
    ),
  );
}

async function rolloutsOf(folder: string): Promise<object> {
  const names = (await readdir(join(folder, 'rollouts'))).filter((name) => name.endsWith('.jsonl')).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(folder, 'rollouts', name), 'utf8');
        return [name, text.replaceAll(/"(seconds|queueSeconds|cpuSeconds|peakMemoryBytes)":[\d.e+-]+/g, '"$1":0')];
      }),
    ),
  );
}
