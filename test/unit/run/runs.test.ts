import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { readRolloutsAt, readTrajectoryAt } from '../../../src/journal/rolloutPlace';
import { deriveSeed, mulberry32 } from '../../../src/lib/seed';
import type { ActiveRun } from '../../../src/run/runControl';
import { Runs, type RunsOptions } from '../../../src/run/runs';
import type { JournalRecord } from '../../../src/schema/journal';
import { flipBit } from '../../support/flipBit';
import { essenceOf, smallExperiment, smallService, trainerScript } from '../../support/smallRun';

const runsWith = (replace?: RunsOptions['replace']) =>
  new Runs({ trainerScript, version: 'test', ...(replace && { replace }) });

async function complete(experiment: string, runs = runsWith()): Promise<ActiveRun> {
  const run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') });
  expect(await run.done, run.failure?.message).toBe('completed');
  return run;
}

/** @returns the folder of a run that was stopped after its third step. */
async function stoppedAfterThree(runs: Runs): Promise<string> {
  const experiment = await smallExperiment();
  let run: ActiveRun | undefined;
  run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') }, (record) => {
    if (record.kind === 'step' && record.phase === 'reinforcement' && record.step === 3) run?.stop();
  });
  expect(await run.done).toBe('stopped');
  return run.folder;
}

describe('a run', { timeout: 120_000 }, () => {
  it('is the same to the bit: twice, with one thread or two, and with sandboxes that answer late and out of order', async () => {
    const first = await complete(await smallExperiment());
    const { points } = await readRun(first.folder);
    const total = (name: string) => points.reduce((sum, { metrics }) => sum + (metrics[name] ?? 0), 0);
    expect(total('sandbox/calls')).toBeGreaterThan(16);
    expect(total('train/updates')).toBeGreaterThan(2);
    const expected = await essenceOf(first.folder);

    const again = await complete(await smallExperiment({ service: { ...smallService, threads: 2 } }));
    expect(await essenceOf(again.folder)).toEqual(expected);

    const single = await complete(await smallExperiment({ service: { ...smallService, threads: 1 } }));
    expect(await essenceOf(single.folder)).toEqual(expected);

    const late = runsWith({
      sandbox: (real) => ({
        run: async (code, seed, signal) => {
          await delay(mulberry32(deriveSeed(seed, 'delay'))() * 200);
          return real.run(code, seed, signal);
        },
      }),
    });
    const delayed = await complete(await smallExperiment(), late);
    expect(await essenceOf(delayed.folder)).toEqual(expected);
  });

  it('that was stopped and resumed, again and again, ends as if it had never stopped', async () => {
    const expected = await essenceOf((await complete(await smallExperiment())).folder);
    const experiment = await smallExperiment();
    const stops = ['coldStart 7', 'coldStart 52', 'reinforcement 1', 'reinforcement 3'];
    let run: ActiveRun | undefined;
    const onRecord = (record: JournalRecord) => {
      if (record.kind === 'step' && `${record.phase} ${record.step}` === stops[0]) {
        stops.shift();
        run?.stop();
      }
    };
    const runs = runsWith();
    run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') }, onRecord);
    const { folder } = run;
    while ((await run.done) === 'stopped') run = await runs.resume(folder, onRecord);
    expect(stops).toEqual([]);
    const { weights, ...essence } = (await essenceOf(folder)) as { weights: object };
    const { weights: expectedWeights, ...expectedEssence } = expected as { weights: object };
    // A stop saves once more; what is kept in the end is the same.
    expect(essence).toEqual(expectedEssence);
    expect(weights).toEqual(expectedWeights);
    await expect(runs.resume(folder)).rejects.toThrow(/is complete: there is nothing to resume/);
  });

  it.each([
    ['cut short', (path: string) => truncate(path, 100)],
    ['changed by a bit', flipBit],
  ])(
    'goes on from the newest checkpoint that can be read where one was %s, and says which were lost',
    async (_, damage) => {
      const runs = runsWith();
      const folder = await stoppedAfterThree(runs);
      const [newest] = (await readdir(join(folder, 'checkpoints'), { recursive: true })).filter((name) =>
        name.endsWith('step-000003.safetensors'),
      );
      await damage(join(folder, 'checkpoints', newest!));
      const resumed = await runs.resume(folder);
      expect(await resumed.done, resumed.failure?.message).toBe('completed');
      const { notices, points } = await readRun(folder);
      expect(notices.map(({ message }) => message)).toContain('step-000003 cannot be read: going on from step-000002.');
      expect(points.filter(({ phase }) => phase === 'reinforcement').map(({ step }) => step)).toEqual([1, 2, 3, 4]);

      await rm(join(folder, 'checkpoints'), { recursive: true });
      const journal = join(folder, 'journal.jsonl');
      const lines = (await readFile(journal, 'utf8')).split('\n').filter((line) => !line.includes('"ended"'));
      await writeFile(journal, lines.join('\n'));
      const lost = await runs.resume(folder);
      expect(await lost.done).toBe('failed');
      expect(lost.failure?.message).toMatch(/None of the checkpoints of .* can be read/);
    },
  );

  it('does not begin anew where the journal has lost its beginning, or lacks the names of checkpoints', async () => {
    const runs = runsWith();
    const folder = await stoppedAfterThree(runs);
    const journal = join(folder, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const saved = (await readdir(join(folder, 'checkpoints'), { recursive: true })).sort();
    await writeFile(journal, lines.slice(1).join('\n'));
    await expect(runs.resume(folder)).rejects.toThrow(/The beginning of the journal of .* is lost/);
    await rm(journal);
    await expect(runs.resume(folder)).rejects.toThrow(/The beginning of the journal of .* is lost/);

    await writeFile(journal, `${lines.slice(0, 3).join('\n')}\n`);
    const cut = await runs.resume(folder);
    expect(await cut.done).toBe('failed');
    expect(cut.failure?.message).toMatch(/The journal lacks lines: .*\(.*step-000003.*\)/);
    expect((await readdir(join(folder, 'checkpoints'), { recursive: true })).sort()).toEqual(saved);
  });

  it('keeps every trajectory readable', async () => {
    const run = await complete(await smallExperiment());
    expect(await readdir(join(run.folder, 'rollouts'))).toHaveLength(8);
    for (const place of [{ step: 4 }, { evaluation: 'before' }, { evaluation: 'after' }]) {
      const rows = await readRolloutsAt(run.folder, place);
      expect(rows.length).toBe('step' in place ? 16 : 4);
      for (const { problemId, branch, predicted } of rows) {
        const trajectory = await readTrajectoryAt(run.folder, place, problemId, branch);
        expect(trajectory).toMatchObject({ problemId, branch, grade: { predicted } });
        expect(trajectory.turns[0]?.logprobs.length).toBe(trajectory.turns[0]?.tokens.length);
      }
      await expect(readTrajectoryAt(run.folder, place, 'zz', 0)).rejects.toThrow(/no trajectory of problem "zz"/);
    }
    await expect(readRolloutsAt(run.folder, { evaluation: 'never' })).rejects.toThrow(/No trajectories are stored/);
  });
});

describe('two runs at once', { timeout: 120_000 }, () => {
  it('do not disturb each other', async () => {
    const alone = await essenceOf((await complete(await smallExperiment())).folder);
    const runs = runsWith();
    const both = await Promise.all([smallExperiment(), smallExperiment()]);
    const done = await Promise.all(both.map((experiment) => complete(experiment, runs)));
    for (const { folder } of done) expect(await essenceOf(folder)).toEqual(alone);
    expect(runs.active.size).toBe(0);
  });
});
