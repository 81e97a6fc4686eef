import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { evaluateCheckpoint } from '../../../src/run/evaluations';
import type { ActiveRun } from '../../../src/run/runControl';
import { Runs } from '../../../src/run/runs';
import { requireServedTrainer } from '../../../src/services/servedTrainer';
import { ScriptedHttp } from '../../support/scriptedHttp';
import { cliScript, essenceOf, smallExperiment, smallService, trainerScript } from '../../support/smallRun';

const key = 'key-of-this-test';
const keysOf = async () => key;
const serving: ChildProcess[] = [];
afterEach(async () => {
  for (const child of serving.splice(0)) await ended(child);
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** `retool serve` in a process of its own, with the model of the small experiment. */
async function serve(experiment: string, directory: string, port = 0): Promise<{ url: string; child: ChildProcess }> {
  const args = ['serve', '--experiment', experiment, '--directory', directory, '--port', String(port), '--json'];
  const child = spawn(process.execPath, [cliScript, ...args], {
    env: { ...process.env, RETOOL_SERVICE_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  serving.push(child);
  for await (const line of createInterface({ input: child.stdout! })) {
    const record = JSON.parse(line) as { kind: string; url: string };
    if (record.kind === 'listening') return { url: record.url, child };
  }
  throw new Error('retool serve ended');
}

const folderOfTrainer = () => mkdtemp(join(tmpdir(), 'retool-served-'));
const runsOf = (experiment: string) => join(dirname(experiment), 'runs');
const runs = () => new Runs({ trainerScript, version: 'test', serviceKey: keysOf });
const begin = (experiment: string, onRecord?: Parameters<Runs['start']>[1]) =>
  runs().start({ experiment, runs: runsOf(experiment) }, onRecord);

describe('a trainer that runs already', { timeout: 120_000 }, () => {
  it('trains what a trainer of the run itself would have, and holds the checkpoints', async () => {
    const own = await begin(await smallExperiment());
    expect(await own.done, own.failure?.message).toBe('completed');
    const { weights, ...expected } = (await essenceOf(own.folder)) as { weights: object };

    const directory = await folderOfTrainer();
    const { url } = await serve(await smallExperiment(), directory);
    const run = await begin(await smallExperiment({ service: { ...smallService, url } }));
    expect(await run.done, run.failure?.message).toBe('completed');
    const { weights: none, ...essence } = (await essenceOf(run.folder)) as { weights: object };
    expect(essence).toEqual(expected);
    expect(Object.keys(weights).length).toBeGreaterThan(1);
    expect(none).toEqual({});
    expect((await readRun(run.folder)).facts?.service).toEqual({ kind: 'local', url });

    const [checkpoint] = (await readRun(run.folder)).checkpoints.slice(-1);
    const { path, phase, step } = checkpoint!;
    const asked = await evaluateCheckpoint(
      { trainerScript, version: 'test', serviceKey: keysOf },
      { run: run.folder, subject: { kind: 'checkpoint', path, phase, step }, dataset: 'held-out' },
    );
    expect(await asked.done).toBe('completed');
  });

  it('that dies ends the run in one sentence; started anew it goes on, and leaves the checkpoints of others alone', async () => {
    const own = await begin(await smallExperiment());
    await own.done;
    const { weights: _own, ...expected } = (await essenceOf(own.folder)) as { weights: object };

    const directory = await folderOfTrainer();
    const served = await serve(await smallExperiment(), directory);
    const service = { ...smallService, url: served.url };
    const others = await begin(await smallExperiment({ service }));
    expect(await others.done).toBe('completed');
    const kept = (await readRun(others.folder)).checkpoints.map(({ path }) => path);

    let run: ActiveRun | undefined;
    let restarted: Promise<unknown> | undefined;
    run = await begin(await smallExperiment({ service }), (record) => {
      if (record.kind !== 'checkpoint' || record.phase !== 'reinforcement' || record.step !== 2) return;
      restarted = ended(served.child).then(() =>
        serve(join(dirname(run!.folder), '..', 'small.retool.json'), directory, Number(new URL(served.url).port)),
      );
    });
    expect(await run.done).toBe('failed');
    expect(run.failure?.message).toBe(
      `The trainer at ${served.url} no longer knows this session: it was started anew.`,
    );
    await restarted;
    const again = await runs().resume(run.folder);
    expect(await again.done, again.failure?.message).toBe('completed');
    const { weights: _weights, ...essence } = (await essenceOf(run.folder)) as { weights: object };
    expect(essence).toEqual(expected);

    const asked = await Promise.all(
      kept.map((path) =>
        evaluateCheckpoint(
          { trainerScript, version: 'test', serviceKey: keysOf },
          {
            run: others.folder,
            subject: { kind: 'checkpoint', path, phase: 'reinforcement', step: 1 },
            dataset: 'held-out',
          },
        ),
      ),
    );
    expect(await Promise.all(asked.map(({ done }) => done))).toEqual(kept.map(() => 'completed'));
  });
});

describe('a trainer that cannot be used is refused in one sentence before a run is made', () => {
  const shape = { context: 64, layers: 2, width: 48, heads: 4 };
  const never = new AbortController().signal;
  const refusal = (url: string, settings: object = {}) =>
    requireServedTrainer({ url, key: 'k', shape, ...settings }, never).then(
      () => undefined,
      (error: Error) => error.message,
    );

  it('away, slow, without a key, no trainer, or with another model', async () => {
    const http = await ScriptedHttp.start();
    const path = '/api/v1/get_server_capabilities';
    const model = (local: object, context = 64) => ({
      body: { supported_models: [{ model_name: 'm', max_context_length: context, local }] },
    });
    expect(await refusal(http.url)).toBeUndefined();
    expect(http.requests(path)[0]?.headers['x-api-key']).toBe('k');

    http.script(path, { status: 401, body: { detail: 'The X-API-Key header holds another key.' } });
    expect(await refusal(http.url)).toBe(`The trainer at ${http.url} refuses the key.`);
    expect(await refusal(http.url, { key: undefined })).toBe(`The trainer at ${http.url} wants a key.`);
    http.script(path, { status: 404, body: '<html>' });
    expect(await refusal(http.url)).toBe(`What answers at ${http.url} is no trainer (404).`);
    http.script(path, { body: { models: [] } });
    expect(await refusal(http.url)).toBe(
      `What the training service at ${http.url} answered to /api/v1/get_server_capabilities cannot be read: supported_models: Invalid input: expected array, received undefined.`,
    );
    for (const text of ['<html>Sign in</html>', '{"supported_models": [{"mod']) {
      http.script(path, { text });
      expect(await refusal(http.url)).toBe(
        `What the training service at ${http.url} answered to /api/v1/get_server_capabilities cannot be read: it is no JSON.`,
      );
    }
    http.script(path, model({ width: 64 }));
    expect(await refusal(http.url)).toBe(`service.width is 48, but the trainer at ${http.url} has 64.`);
    http.script(path, model({}, 32));
    expect(await refusal(http.url)).toBe(`service.context asks for 64 tokens, but the trainer at ${http.url} has 32.`);
    http.script(path, 'silence');
    expect(await refusal(http.url, { patienceMilliseconds: 50 })).toBe(`The trainer at ${http.url} does not answer.`);
    const { url } = http;
    await http.close();
    expect(await refusal(url)).toMatch(/ cannot be reached: .*ECONNREFUSED/);

    const experiment = await smallExperiment({ service: { ...shape, url } });
    await expect(begin(experiment)).rejects.toMatchObject({ code: 'service' });
    await expect(readdir(runsOf(experiment))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('busy at first it is asked again, and busy for long it is called so', async () => {
    const http = await ScriptedHttp.start();
    const path = '/api/v1/get_server_capabilities';
    const fine = { body: { supported_models: [{ model_name: 'm', max_context_length: 64 }] } };
    const soon = { 'retry-after-ms': '5' };
    http.script(path, { status: 429, headers: soon }, { status: 500, headers: soon }, fine);
    expect(await refusal(http.url)).toBeUndefined();
    expect(http.requests(path)).toHaveLength(3);
    for (const status of [429, 500]) {
      http.script(path, { status });
      expect(await refusal(http.url, { patienceMilliseconds: 50 })).toBe(
        `The trainer at ${http.url} is busy or broken: it answers ${status} again and again.`,
      );
    }
    await http.close();
  });

  it('with a missing or a wrong key it names the key as what is wrong, and its address', async () => {
    const http = await ScriptedHttp.start();
    http.script('/api/v1/get_server_capabilities', { status: 401, body: { detail: 'no' } });
    await expect(requireServedTrainer({ url: http.url, key: undefined, shape }, never)).rejects.toMatchObject({
      code: 'key',
      url: http.url,
    });
    await http.close();
  });

  it('by an address with a password or a query, and threads that would be nobody’s', async () => {
    for (const url of ['http://me:secret@127.0.0.1:1', 'http://127.0.0.1:1/?key=secret', 'ftp://127.0.0.1']) {
      await expect(begin(await smallExperiment({ service: { ...shape, url } }))).rejects.toThrow(/service\.url/);
    }
    const threads = { ...shape, url: 'http://127.0.0.1:1', threads: 2 };
    await expect(begin(await smallExperiment({ service: threads }))).rejects.toThrow(/service\.threads/);
    const long = await smallExperiment({ service: { ...shape, context: 4096 } });
    await expect(begin(long)).rejects.toThrow(/service\.context \(line \d+\) must be at most 2048/);
  });
});
