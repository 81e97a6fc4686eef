import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Datum } from '../../../src/rl/ports';
import { trainerKeyVariable } from '../../../src/schema/trainerProcess';
import { type LocalService, startLocalService } from '../../../src/services/localService';
import { startLocalTrainer } from '../../../src/services/localTrainer';
import { measureReduction } from '../../../src/services/measureReduction';
import { localProfile } from '../../../src/services/profile';
import { TinkerClient } from '../../../src/services/tinkerClient';
import { localVocabulary } from '../../../src/trainer/vocabulary';

const never = new AbortController().signal;
const script = join(import.meta.dirname, '../../../dist/trainer.js');
const adam = { learningRate: 5e-3, beta1: 0.9, beta2: 0.98, epsilon: 1e-8, weightDecay: 0, gradientClip: 1 };

const sentence = [
  localVocabulary.control('<|im_start|>'),
  ...localVocabulary.encode('print(6*7) gives \\boxed{42}'),
  localVocabulary.control('<|im_end|>'),
];

/** Teaches to continue `sentence` from its first token. */
function lesson(length = sentence.length): Datum {
  const ids = Array.from({ length }, (_, index) => sentence[index % sentence.length]!);
  const targets = ids.slice(1);
  const zeros = targets.map(() => 0);
  const ones = targets.map(() => 1);
  return { tokens: ids.slice(0, -1), targets, mask: ones, logprobs: zeros, coefficients: ones };
}

describe('the local trainer', () => {
  let directory: string;
  let services: LocalService[];
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'retool-trainer-'));
    services = [];
  });
  afterEach(async () => {
    for (const service of services) service.dispose();
    await Promise.all(services.map((service) => service.ended));
    await rm(directory, { recursive: true, force: true });
  });

  const options = (threads = 1) => ({
    script,
    shape: { context: 96, width: 32, layers: 1, heads: 4 },
    threads,
    directory,
    port: 0,
  });
  const start = async (threads?: number) => {
    const service = await startLocalService(options(threads), never);
    services.push(service);
    return service;
  };
  const bytesOf = (path: string) => readFile(join(directory, `${path.replace('tinker://', '')}.safetensors`));

  it('is found out to sum its losses, from what its steps do', async () => {
    const { client } = await start();
    let models = 0;
    const create = () => {
      models += 1;
      return client.createTrainer({ seed: 1 }, never);
    };
    expect(await measureReduction(create)).toBe('sum');
    expect(models).toBeLessThan(16);
  });

  it('learns a sentence and says it', async () => {
    const { client } = await start();
    const trainer = await client.createTrainer({ seed: 1 }, never);
    for (let step = 0; step < 60; step++) {
      await Promise.all([trainer.forwardBackward([lesson()], { kind: 'crossEntropy' }), trainer.optimStep(adam)]);
    }
    const policy = await trainer.policy();
    const stop = sentence.slice(-1);
    const request = { prompt: sentence.slice(0, 1), maxTokens: 60, stop, temperature: 0, seed: 1 };
    const sample = await policy.sample(request, never);
    expect(localVocabulary.decode(sample.tokens)).toBe('print(6*7) gives \\boxed{42}<|im_end|>');
    expect(sample.stop).toBe('stop');
    const { logprobs } = await trainer.forward([lesson()], { kind: 'crossEntropy' });
    for (const [index, logprob] of sample.logprobs.entries()) expect(logprobs![0]![index]).toBeCloseTo(logprob, 5);
  });

  it('goes on bit by bit the same after it was killed, with another number of threads', async () => {
    const step = (trainer: Awaited<ReturnType<TinkerClient['createTrainer']>>) =>
      Promise.all([trainer.forwardBackward([lesson(), lesson(40)], { kind: 'crossEntropy' }), trainer.optimStep(adam)]);
    const service = await start(1);
    const first = await service.client.createTrainer({ seed: 1 }, never);
    await step(first);
    const saved = await first.save('half');
    await step(first);
    const straight = await first.save('whole');
    const failing = new Promise<Error>((resolve) => service.onDidFail(resolve));
    process.kill(service.pid!, 'SIGKILL');
    expect((await failing).message).toMatch(/^The local trainer was ended by SIGKILL/);

    const { client } = await start(2);
    const second = await client.resumeTrainer(saved, true, never);
    await step(second);
    const resumed = await second.save('whole');
    expect(await bytesOf(resumed)).toEqual(await bytesOf(straight));
  });

  it('fails whatever is in flight in one sentence when it is killed', async () => {
    const service = await start();
    const trainer = await service.client.createTrainer({ seed: 1 }, never);
    const passing = trainer.forwardBackward(new Array(400).fill(lesson(96)), { kind: 'crossEntropy' });
    process.kill(service.pid!, 'SIGKILL');
    await expect(passing).rejects.toMatchObject({
      code: 'service',
      message: 'The local trainer was ended by SIGKILL.',
      hint: 'Resume the run from its last checkpoint.',
    });
  });

  it('ends when its parent is killed in the middle of a step, and leaves nothing half written', async () => {
    const argument = JSON.stringify(options());
    const code = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, [${JSON.stringify(script)}, ${JSON.stringify(argument)}]);
      child.stdout.pipe(process.stdout);
      setInterval(() => {}, 1000);`;
    const env = { [trainerKeyVariable]: 'tml-test' };
    const parent = spawn(process.execPath, ['-e', code], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: parent.stdout }), 'line');
    const { url, pid } = JSON.parse(line) as { url: string; pid: number };
    const client = await TinkerClient.connect({ url, key: 'tml-test', profile: localProfile }, never);
    const trainer = await client.createTrainer({ seed: 1 }, never);
    const passing = trainer.forwardBackward(new Array(400).fill(lesson(96)), { kind: 'crossEntropy' });
    passing.catch(() => undefined);
    const saved = trainer.save('a').catch(() => undefined);
    parent.kill('SIGKILL');
    while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
    client.dispose();
    await saved;
    const left = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.partial'));
    expect(left).toEqual([]);
  });

  it('says which port is taken and what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await expect(startLocalTrainer({ ...options(), port }, never)).rejects.toMatchObject({
      code: 'service',
      message: `Port ${port} on 127.0.0.1 is in use.`,
      hint: 'Choose another with --port, or 0 for any free one.',
    });
    other.close();
  });

  it('says that it was not built', async () => {
    const starting = startLocalTrainer({ ...options(), script: join(directory, 'missing.js') }, never);
    await expect(starting).rejects.toMatchObject({
      code: 'service',
      message: expect.stringMatching(/^The local trainer ended with code 1: .*missing\.js/),
    });
  });

  it('does not start for a caller who has changed their mind', async () => {
    const abort = new AbortController();
    const starting = startLocalTrainer(options(), abort.signal);
    abort.abort();
    await expect(starting).rejects.toMatchObject({ code: 'cancelled' });
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
