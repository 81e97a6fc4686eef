import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JournalWriter } from '../../../src/journal/journalFile';
import { readRolloutIndex, writeRollouts } from '../../../src/journal/rolloutFile';
import { readTrajectoryAt } from '../../../src/journal/rolloutPlace';
import { createRunFolder, readFrozenExperiment, rolloutFile } from '../../../src/journal/runFolder';
import { isLive, RunLock } from '../../../src/journal/runLock';
import { RunStore } from '../../../src/journal/runStore';
import { RunWatcher } from '../../../src/journal/runWatcher';
import { Experiment } from '../../../src/schema/experiment';
import type { Trajectory } from '../../../src/schema/trajectory';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const experiment = Experiment.parse({
  name: 'a b',
  data: { train: 't.jsonl' },
  reinforcement: { steps: 1, learningRate: 1, warmupSteps: 0, decayFraction: 0, finalFraction: 1 },
});
const frozen = { experiment, folder: '/data', files: {} };

const trajectory = (problemId: string, branch: number): Trajectory => ({
  step: 1,
  problemId,
  branch,
  question: 'Wie viel ist 6·7?',
  gold: '42',
  prompt: [1],
  turns: [],
  stop: 'answered',
  grade: { reward: 1, verdict: 'correct', formatted: true, predicted: '42', reason: 'equal' },
  advantage: 0.5,
});

describe('a run folder', () => {
  it('is named for its moment and experiment, freezes the experiment, and keeps itself out of git', async () => {
    const runs = join(folder, '.retool', 'runs');
    const run = await createRunFolder(runs, frozen, new Date('2026-01-02T03:04:05Z'));
    expect(run).toMatch(/20260102-030405-a-b-[0-9a-f]{4}$/);
    expect(await readFrozenExperiment(run)).toEqual(frozen);
    expect(await readFile(join(folder, '.retool', '.gitignore'), 'utf8')).toBe('*\n');
  });

  it('has a name that every file system takes, however long that of the experiment', async () => {
    const named = { ...frozen, experiment: { ...experiment, name: '数'.repeat(80) } };
    const run = await createRunFolder(folder, named, new Date());
    expect(Buffer.byteLength(run.slice(folder.length + 1))).toBeLessThan(200);
    expect(run).toMatch(/-数{53}-[0-9a-f]{4}$/);
  });

  it('refuses a folder that already holds a run, and says how to go on with it', async () => {
    await writeFile(join(folder, 'journal.jsonl'), '');
    await expect(createRunFolder('', frozen, new Date(), folder)).rejects.toMatchObject({
      code: 'run',
      hint: expect.stringContaining('retool resume'),
    });
  });

  it('is told from any other folder in one sentence', async () => {
    await expect(readFrozenExperiment(folder)).rejects.toThrow(
      `${folder} is not a run folder: it has no experiment.json.`,
    );
    await expect(readFrozenExperiment(join(folder, 'none'))).rejects.toThrow('is not a run folder');
    await writeFile(join(folder, 'experiment.json'), '{"experiment":{}}');
    await expect(readFrozenExperiment(folder)).rejects.toThrow(/experiment\.json is broken: experiment\.name/);
  });
});

describe('RunLock', () => {
  it('lets one process in at a time', async () => {
    const lock = await RunLock.take(folder);
    await expect(RunLock.take(folder)).rejects.toThrow(/is already training/);
    await expect(RunLock.take(folder, 'evaluation')).rejects.toThrow(/^Process \d+ already makes the evaluation /);
    expect(await isLive(folder)).toBe(true);
    await lock.release();
    expect(await isLive(folder)).toBe(false);
    await (await RunLock.take(folder)).release();
  });

  it('takes over from a holder that was killed or fell silent', async () => {
    const path = join(folder, 'lock.json');
    await writeFile(path, JSON.stringify({ pid: 999_999_999, host: hostname(), token: 'a' }));
    expect(await isLive(folder)).toBe(false);
    await (await RunLock.take(folder)).release();

    await writeFile(path, JSON.stringify({ pid: 1, host: 'another machine', token: 'a' }));
    expect(await isLive(folder)).toBe(true);
    await utimes(path, new Date(), new Date(Date.now() - 60_000));
    expect(await isLive(folder)).toBe(false);
    await (await RunLock.take(folder)).release();
  });
});

describe('rollout files', () => {
  it('find one trajectory among many without reading the others', async () => {
    const path = rolloutFile(folder, 1);
    await mkdir(join(folder, 'rollouts'));
    await writeRollouts(path, [trajectory('a', 0), trajectory('b', 0), trajectory('b', 1)]);
    expect(await readTrajectoryAt(folder, { step: 1 }, 'b', 1)).toEqual(trajectory('b', 1));
    await expect(readTrajectoryAt(folder, { step: 1 }, 'c', 0)).rejects.toThrow(/no trajectory of problem "c"/);
  });

  it('make their index anew when it is missing, passing broken lines over', async () => {
    const path = rolloutFile(folder, 1);
    await mkdir(join(folder, 'rollouts'));
    await writeRollouts(path, [trajectory('a', 0), trajectory('b', 0)]);
    const index = await readRolloutIndex(path);
    await rm(path.replace('.jsonl', '.index.json'));
    expect(await readRolloutIndex(path)).toEqual(index);
    const [first, second] = (await readFile(path, 'utf8')).split('\n');
    await writeFile(path, `${first}\nbroken\n${second}\n`);
    await rm(path.replace('.jsonl', '.index.json'));
    const told = await readRolloutIndex(path);
    expect(told.rows.map(({ problemId }) => problemId)).toEqual(['a', 'b']);
    expect(told.unread).toEqual({ lines: 1, first: 2 });
    expect(await readRolloutIndex(path)).toEqual(told);
    expect(await readTrajectoryAt(folder, { step: 1 }, 'b', 0)).toEqual(trajectory('b', 0));
  });

  it('believe no index that does not cover the file', async () => {
    const path = rolloutFile(folder, 1);
    await mkdir(join(folder, 'rollouts'));
    await writeRollouts(path, [trajectory('a', 0), trajectory('b', 0)]);
    const index = await readRolloutIndex(path);
    const { size: bytes } = await stat(path);
    const [first, second] = index.rows;
    const rowsWith = (length: number) => ({ bytes, rows: [first, { ...second, length }] });
    for (const broken of [[], index, { bytes: bytes - 1, rows: index.rows }, rowsWith(1_000_000_000), rowsWith(-1)]) {
      await writeFile(path.replace('.jsonl', '.index.json'), JSON.stringify(broken));
      expect(await readRolloutIndex(path)).toEqual(index);
    }
  });
});

describe('RunWatcher', () => {
  it('brings in runs whoever writes them, and tells a dead writer from a live one', async () => {
    const run = join(folder, 'one');
    await mkdir(run);
    const writer = await JournalWriter.open(join(run, 'journal.jsonl'));
    const lock = await RunLock.take(run);
    const store = new RunStore();
    const watcher = new RunWatcher(store, [folder, join(folder, 'missing')]);
    await writer.append({ kind: 'step', phase: 'reinforcement', step: 1, metrics: { 'reward/mean': 0.5 } });
    await watcher.refresh();
    expect(store.get('one')).toMatchObject({ status: 'running', step: 1, folder: run });

    await writer.close();
    await lock.release();
    await watcher.refresh();
    expect(store.get('one')?.status).toBe('interrupted');

    await rm(run, { recursive: true });
    await watcher.refresh();
    expect(store.ids()).toEqual([]);
    watcher.dispose();
    expect(await readdir(folder)).toEqual([]);
  });
});
