import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { compareEvaluations } from '../../../src/run/compareEvaluations';
import { listEvaluations } from '../../../src/run/evaluationFolder';
import { fingerprintOf, protocolDifferences } from '../../../src/run/evaluationProtocol';
import { readEvaluation } from '../../../src/run/evaluationReport';
import { type CheckpointSubject, requestEvaluation } from '../../../src/run/evaluationRequests';
import { type EvaluateOptions, evaluateCheckpoint } from '../../../src/run/evaluations';
import { endedEvaluations } from '../../../src/run/runEvaluations';
import { Runs } from '../../../src/run/runs';
import { EvaluatedProblem } from '../../../src/schema/evaluation';
import { smallExperiment, trainerScript } from '../../support/smallRun';

const parts = { trainerScript, version: 'test' };
const base: CheckpointSubject = { kind: 'checkpoint', phase: 'coldStart', step: 0 };

describe('the evaluation of a checkpoint', () => {
  let folder: string;
  let last: CheckpointSubject;
  beforeAll(async () => {
    const experiment = await smallExperiment();
    const runs = new Runs({ ...parts });
    const run = await runs.start({ experiment, runs: join(dirname(experiment), 'runs'), allowUnsafeSandbox: true });
    expect(await run.done).toBe('completed');
    folder = run.folder;
    const { phase, step, path } = (await readRun(folder)).checkpoints.at(-1)!;
    last = { kind: 'checkpoint', phase, step, path };
  }, 120_000);

  const options = (change: Partial<EvaluateOptions> = {}): EvaluateOptions => ({
    run: folder,
    subject: last,
    dataset: 'held-out',
    choices: { samples: 3 },
    allowUnsafeSandbox: true,
    ...change,
  });
  /** Of a file, what does not depend on the time. */
  const generationsIn = async (file: string) => {
    const lines = (await readFile(file, 'utf8')).trim().split('\n').slice(0, -1);
    const problems = lines.map((line) => EvaluatedProblem.parse(JSON.parse(line)));
    return problems.flatMap(({ generations }) =>
      generations.map(({ trajectory }) => trajectory!.turns.map(({ tokens }) => tokens)),
    );
  };

  it('samples every problem n times, whatever the chunks and however many at once', { timeout: 60_000 }, async () => {
    const files = [];
    for (const [index, change] of [{ chunk: 1, concurrency: 1 }, { chunk: 3, concurrency: 16 }, {}].entries()) {
      const active = await evaluateCheckpoint(parts, options({ ...change, choices: { samples: 3 } }));
      expect(await active.done).toBe('completed');
      files.push(await generationsIn(active.file));
      expect(files.at(-1)).toHaveLength(12);
      // The same question again is the same evaluation: what it gave is moved away.
      await rename(active.file, `${active.file}.${index}`);
    }
    expect(files[1]).toEqual(files[0]);
    expect(files[2]).toEqual(files[0]);
  });

  it('goes on where it was stopped, and samples nothing twice', { timeout: 60_000 }, async () => {
    const choices = { samples: 8, seed: 5 };
    const whole = await evaluateCheckpoint(parts, options({ choices, subject: base }));
    expect(await whole.done).toBe('completed');
    const expected = await generationsIn(whole.file);

    const first = await evaluateCheckpoint(
      parts,
      options({ choices: { samples: 8, seed: 6 }, concurrency: 1 }),
      ({ done }) => {
        if (done === 5) first.stop();
      },
    );
    expect(await first.done).toBe('stopped');
    const [stopped] = (await listEvaluations(dirname(first.file))).filter(
      ({ request }) => request.id === first.request.id,
    );
    expect(stopped).toMatchObject({ status: 'stopped' });
    expect(stopped!.done).toBeGreaterThanOrEqual(5);
    expect(stopped!.done).toBeLessThan(32);
    const seen: number[] = [];
    const second = await evaluateCheckpoint(parts, options({ choices: { samples: 8, seed: 6 } }), ({ done }) =>
      seen.push(done),
    );
    expect(second.from).toBe(stopped!.done);
    expect(await second.done).toBe('completed');
    expect(seen).toEqual(Array.from({ length: 32 - second.from }, (_, i) => second.from + i + 1));
    expect(await generationsIn(second.file)).toHaveLength(32);
    expect(expected).toHaveLength(32);
    expect(await readdir(join(dirname(second.file), second.request.id))).toEqual(['request.json']);
  });

  it('refuses what has been made already, and ends on a budget of tokens', { timeout: 60_000 }, async () => {
    const choices = { samples: 2, seed: 9 };
    const first = await evaluateCheckpoint(parts, options({ choices, mostTokens: 20, concurrency: 1 }));
    expect(await first.done).toBe('budget');
    const again = await evaluateCheckpoint(parts, options({ choices }));
    expect(again.from).toBeGreaterThan(0);
    expect(await again.done).toBe('completed');
    await expect(evaluateCheckpoint(parts, options({ choices }))).rejects.toThrow(/has been evaluated so already/);
    // Nor is it made again where its request is broken: it is written anew, so that the results are found.
    const request = join(dirname(again.file), again.request.id, 'request.json');
    const whole = JSON.parse(await readFile(request, 'utf8'));
    await writeFile(request, '{"id":');
    await expect(evaluateCheckpoint(parts, options({ choices }))).rejects.toThrow(/has been evaluated so already/);
    expect(JSON.parse(await readFile(request, 'utf8'))).toMatchObject({ id: whole.id, protocol: whole.protocol });
  });

  it('runs no code in the mode text', { timeout: 60_000 }, async () => {
    const active = await evaluateCheckpoint(parts, options({ choices: { mode: 'text' } }));
    expect(await active.done).toBe('completed');
    const report = await readEvaluation(active.file);
    expect(report.codeCalls).toBe(0);
    expect(report.summary?.mode).toBe('text-only');
  });

  it('says with numbers that problems do not fit, and what is wrong with a set', async () => {
    const set = join(await mkdtemp(join(tmpdir(), 'retool-set-')), 'long.jsonl');
    const line = (id: string, question: string) => JSON.stringify({ id, question, answer: '1' });
    await writeFile(set, `${line('a', 'x'.repeat(900))}\n${line('b', '1+1')}\n`);
    await expect(evaluateCheckpoint(parts, options({ dataset: set }))).rejects.toThrow(
      /1 of 2 problems of long\.jsonl do not fit this model: the longest takes 90\d tokens, and a trajectory of this run \(budgets\.trajectoryTokens\) has room for 56/,
    );
    await writeFile(set, `${line('a', '1+1')}\n${line('a', '1+2')}\n`);
    await expect(evaluateCheckpoint(parts, options({ dataset: set }))).rejects.toThrow(
      /line 2: the id "a" is there twice/,
    );
  });

  it('is left to another process that makes it: nothing is written before that is known', async () => {
    const choices = { samples: 4, seed: 11 };
    const first = await evaluateCheckpoint(parts, options({ choices, mostTokens: 20, concurrency: 1 }));
    await first.done;
    const work = join(dirname(first.file), first.request.id);
    const files = ['request.json', 'generations.jsonl'].map((name) => join(work, name));
    const before = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const others = JSON.stringify({ pid: process.ppid, host: hostname(), token: 'another' });
    await writeFile(join(work, 'lock.json'), others);
    const refused = { code: 'run', message: `Process ${process.ppid} already makes the evaluation ${work}.` };
    await expect(evaluateCheckpoint(parts, options({ choices }))).rejects.toMatchObject(refused);
    await expect(requestEvaluation('test', options({ choices }))).rejects.toMatchObject(refused);
    expect(await Promise.all(files.map((file) => readFile(file, 'utf8')))).toEqual(before);
    expect(await readFile(join(work, 'lock.json'), 'utf8')).toBe(others);
    await rm(join(work, 'lock.json'));
    expect(await (await evaluateCheckpoint(parts, options({ choices }))).done).toBe('completed');
  });

  it('whose files vanish while it is made says so in a sentence, and leaves no results without a question', async () => {
    const choices = { samples: 8, seed: 12 };
    const active = await evaluateCheckpoint(parts, options({ choices, concurrency: 1 }), ({ done }) => {
      if (done === 2) rmSync(work, { recursive: true });
    });
    const work = join(dirname(active.file), active.request.id);
    await expect(active.done).rejects.toMatchObject({
      code: 'run',
      message: `The files of this evaluation are gone from ${work}: it cannot go on.`,
    });
    expect(existsSync(active.file)).toBe(false);
    expect(existsSync(work)).toBe(false);
  });

  it('of a checkpoint that the service does not know is refused in a sentence', async () => {
    for (const path of ['local://gone', 'tinker://nobody/weights/step-7']) {
      const subject = { ...last, path };
      const active = await evaluateCheckpoint(parts, options({ subject }));
      await expect(active.done).rejects.toMatchObject({
        code: 'service',
        message: `The training service does not know the checkpoint ${path}, or cannot read it.`,
      });
    }
  });

  it('is listed only under its own name and with sizes that can be', async () => {
    const made = await evaluateCheckpoint(parts, options({ choices: { samples: 1, seed: 13 } }));
    await made.done;
    const all = await mkdtemp(join(tmpdir(), 'retool-listed-'));
    const { request } = made;
    const put = async (name: string, change: object) => {
      await mkdir(join(all, name));
      await writeFile(join(all, name, 'request.json'), JSON.stringify({ ...request, ...change }));
    };
    const { id, protocol } = request;
    await put(id, {});
    await put(`${id} copy`, {});
    for (const [name, problems] of Object.entries({ few: -5, none: 0, many: 2e18 })) {
      await put(name, { id: name, protocol: { ...protocol, dataset: { ...protocol.dataset, problems } } });
    }
    await put('samples', { id: 'samples', protocol: { ...protocol, samples: 1e9 } });
    const leftOut: string[] = [];
    const listed = await listEvaluations(all, (why) => leftOut.push(why));
    expect(listed.map((each) => each.request.id)).toEqual([id]);
    expect(leftOut.sort()).toEqual(
      [
        `${join(all, `${id} copy`)} is left out, for its request.json names another evaluation: ${id}.`,
        ...['few', 'many', 'none', 'samples'].map(
          (name) => `${join(all, name)} is left out, for its request.json is broken.`,
        ),
      ].sort(),
    );
  });

  it('is compared problem by problem with another of the same protocol, and only with such', async () => {
    const run = await readRun(folder);
    const ended = await endedEvaluations(run);
    expect(ended.map(({ id }) => id).slice(0, 2)).toEqual(['before', 'after']);
    const [before, after] = ended as [(typeof ended)[0], (typeof ended)[0]];
    expect(fingerprintOf(before.protocol)).toBe(fingerprintOf(after.protocol));
    const { evaluations, order } = compareEvaluations(ended, 'before');
    expect(order).toHaveLength(4);
    const paired = evaluations.find(({ evaluation }) => evaluation.id === 'after')?.paired;
    expect(paired?.difference).toBeCloseTo(after.report.average! - before.report.average!, 12);
    const text = ended.find(({ protocol }) => protocol.mode === 'text')!;
    expect(protocolDifferences(before.protocol, text.protocol)).toEqual([{ field: 'mode', values: ['tool', 'text'] }]);
  });
});
