import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import type { UnsafeLevel } from '../../../src/run/runControl';
import { Runs } from '../../../src/run/runs';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';
import { infrastructureResult } from '../../../src/sandbox/toolResult';
import { smallExperiment, trainerScript } from '../../support/smallRun';

describe('a run whose sandbox fails', { timeout: 120_000 }, () => {
  it('is paused with the reason, and goes on to its end when the sandbox works again', async () => {
    let broken = false;
    const experiment = await smallExperiment();
    const runs = new Runs({
      trainerScript,
      version: 'test',
      replace: {
        sandbox: (real) => ({
          run: async (code, seed, signal) =>
            broken ? infrastructureResult('the fork server is gone', 'landlock') : real.run(code, seed, signal),
        }),
      },
    });
    const run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs') }, (record) => {
      if (record.kind === 'step' && record.phase === 'reinforcement' && record.step === 2) broken = true;
    });
    expect(await run.done).toBe('failed');
    const sentence = 'The run is paused, for the sandbox does not work: the fork server is gone';
    expect(run.failure?.message).toBe(sentence);
    expect(await readRun(run.folder)).toMatchObject({ status: 'failed', message: sentence, step: 2 });

    broken = false;
    const resumed = await runs.resume(run.folder);
    expect(await resumed.done, resumed.failure?.message).toBe('completed');
    const { points } = await readRun(run.folder);
    const steps = points.filter(({ phase }) => phase === 'reinforcement').map(({ step }) => step);
    expect(steps).toEqual([1, 2, 3, 4]);
    // What failed while it was paused was never trained on, and the sums go on from the last step.
    const totals = points.flatMap(({ metrics }) => metrics['sandbox/total_calls'] ?? []);
    expect(totals).toEqual([...totals].sort((a, b) => a - b));
    expect(points.at(-1)!.metrics['sandbox/total_infrastructure']).toBe(0);
  });
});

describe.runIf(process.platform === 'linux')('a run at a level that is no boundary', { timeout: 60_000 }, () => {
  const start = async (allowUnsafeSandbox?: boolean | ((level: UnsafeLevel) => Promise<boolean>)) => {
    const experiment = await smallExperiment();
    // Only the last level is offered, as on a machine whose kernel has none of the others.
    const runs = new Runs({ trainerScript, version: 'test', replace: { levels: ['limits'] } });
    const options = { experiment, runs: join(dirname(experiment), 'runs') };
    return runs.start({ ...options, ...(allowUnsafeSandbox !== undefined && { allowUnsafeSandbox }) });
  };

  it('begins with consent alone, and records level and versions', async () => {
    await expect(start()).rejects.toMatchObject({
      code: 'python',
      message: expect.stringContaining('your files can be read, changed and removed'),
      hint: expect.stringContaining('--allow-unsafe-sandbox'),
    });
    const asked: UnsafeLevel[] = [];
    const answer = (yes: boolean) => async (level: UnsafeLevel) => {
      asked.push(level);
      return yes;
    };
    await expect(start(answer(false))).rejects.toMatchObject({ code: 'cancelled' });
    const run = await start(answer(true));
    run.abort();
    await run.done;
    expect(asked).toHaveLength(2);
    expect(asked[0]).toMatchObject({ level: 'limits', risks: expect.arrayContaining(['the network can be reached']) });
    const { version, packages } = await resolveInterpreter();
    expect((await readRun(run.folder)).facts?.python).toMatchObject({ level: 'limits', version, packages });
  });
});
