import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Patience } from '../../../src/lib/patience';
import { localProfile } from '../../../src/services/profile';
import { TinkerClient } from '../../../src/services/tinkerClient';
import type { TinkerTrainer } from '../../../src/services/tinkerTrainer';
import { ScriptedHttp } from '../../support/scriptedHttp';

const adam = { learningRate: 1, beta1: 0.9, beta2: 0.9, epsilon: 1, weightDecay: 0, gradientClip: 0 };
const step = '/api/v1/optim_step';
const poll = '/api/v1/retrieve_future';

describe('the client', () => {
  let http: ScriptedHttp;
  let client: TinkerClient;
  let trainer: TinkerTrainer;
  let waits: number[];
  const never = new AbortController().signal;
  const patience: Patience = {
    sleep: async (milliseconds, signal) => {
      signal.throwIfAborted();
      waits.push(milliseconds);
    },
    random: () => 0,
  };

  beforeEach(async () => {
    waits = [];
    http = await ScriptedHttp.start();
    client = await TinkerClient.connect({ url: http.url, key: 'tml-x', profile: localProfile, patience }, never);
    trainer = await client.createTrainer({ seed: 1 }, never);
    http.seen.length = 0;
    http.script(step, { body: { request_id: 'R' } });
    http.script(poll, { body: { metrics: { grad_norm: 2 } } });
  });
  afterEach(async () => {
    client.dispose();
    await http.close();
  });

  it('sends a call again after 429, 5xx and a lost connection, as the same call', async () => {
    http.script(step, { status: 429 }, { status: 503 }, 'hangUp', { body: { request_id: 'R' } });
    expect(await trainer.optimStep(adam)).toEqual({ grad_norm: 2 });
    const sent = http.requests(step);
    expect(sent).toHaveLength(4);
    expect(new Set(sent.map((request) => request.headers['x-idempotency-key'])).size).toBe(1);
    expect(sent.map((request) => (request.body as { seq_id: number }).seq_id)).toEqual([1, 1, 1, 1]);
    expect(waits).toEqual([500, 1000, 2000]);
  });

  it('tells after some seconds that nobody answers, and when somebody does again', async () => {
    const told: (object | undefined)[] = [];
    client.reach.onDidChange((silence) => told.push(silence));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      http.script(step, 'hangUp', { body: { request_id: 'R' } });
      await trainer.optimStep(adam);
      vi.advanceTimersByTime(5000);
      expect(told).toEqual([]);
      http.script(step, 'hangUp');
      await expect(trainer.optimStep(adam)).rejects.toThrow('cannot be reached');
      vi.advanceTimersByTime(2900);
      expect(told).toEqual([]);
      vi.advanceTimersByTime(100);
      expect(told).toEqual([{ url: http.url, since: expect.any(Number), reason: expect.stringMatching(/\w/) }]);
      await client.listCheckpoints(never).catch(() => undefined);
      expect(told.at(-1)).toBeUndefined();
      expect(told).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('waits as long as the service asks for', async () => {
    http.script(step, { status: 429, headers: { 'retry-after-ms': '70' } }, { body: { request_id: 'R' } });
    await trainer.optimStep(adam);
    expect(waits).toEqual([70]);
  });

  it('does not send again what the service says not to', async () => {
    http.script(step, { status: 503, headers: { 'x-should-retry': 'false' }, body: { detail: 'closed for good' } });
    await expect(trainer.optimStep(adam)).rejects.toThrow('/api/v1/optim_step failed (503): closed for good.');
    expect(http.requests(step)).toHaveLength(1);
  });

  it('gives up in one sentence when nobody answers', async () => {
    http.script(step, 'hangUp');
    await expect(trainer.optimStep(adam)).rejects.toMatchObject({
      code: 'service',
      message: expect.stringMatching(/^The training service at http:\/\/127\.0\.0\.1:\d+ cannot be reached: /),
      hint: 'Check that it runs and that the address is right.',
    });
    expect(http.requests(step)).toHaveLength(11);
  });

  it('trains no further when it is unknown whether a request was taken', async () => {
    http.script(step, 'hangUp');
    await expect(trainer.optimStep(adam)).rejects.toThrow('cannot be reached');
    http.script(step, { body: { request_id: 'R' } });
    await expect(trainer.optimStep(adam)).rejects.toMatchObject({
      message: 'The connection was lost while a training request was sent, so the state of the model is unknown.',
      hint: 'Resume the run from its last checkpoint.',
    });
  });

  it('uses the number of a refused request for the next one', async () => {
    http.script(step, { status: 422, body: { detail: 'beta1: too large' } }, { body: { request_id: 'R' } });
    await expect(trainer.optimStep(adam)).rejects.toThrow('/api/v1/optim_step failed (422): beta1: too large.');
    await trainer.optimStep(adam);
    expect(http.requests(step).map((request) => (request.body as { seq_id: number }).seq_id)).toEqual([1, 1]);
  });

  it('polls on while the result is pending, also when that is a 408', async () => {
    http.script(
      poll,
      { body: { type: 'try_again', request_id: 'R', queue_state: 'paused_capacity' } },
      { status: 408, body: { type: 'try_again', request_id: 'R' } },
      { body: { metrics: {} } },
    );
    await trainer.optimStep(adam);
    expect(http.requests(poll)).toHaveLength(3);
    expect(waits).toEqual([]);
  });

  it('polls on after lost connections, 429 and 5xx', async () => {
    http.script(poll, 'hangUp', { status: 429 }, { status: 502 }, { body: { metrics: {} } });
    await trainer.optimStep(adam);
    expect(waits).toEqual([1000, 2000, 1000]);
  });

  it('submits the next call before the one at work has its result', async () => {
    http.script(poll, { body: { type: 'try_again' } });
    const stepping = Promise.allSettled([trainer.optimStep(adam), trainer.optimStep(adam)]);
    while (http.requests(step).length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(http.requests(step).map((request) => (request.body as { seq_id: number }).seq_id)).toEqual([1, 2]);
    client.dispose();
    await stepping;
  });

  it('submits a forgotten request again with its number and payload', async () => {
    http.script(step, { body: { request_id: 'R1' } }, { body: { request_id: 'R2' } });
    http.script(poll, { status: 410, body: { detail: 'expired' } }, { body: { metrics: { grad_norm: 3 } } });
    expect(await trainer.optimStep(adam)).toEqual({ grad_norm: 3 });
    const [first, second] = http.requests(step);
    expect(second!.body).toEqual(first!.body);
    const polled = http.requests(poll).map((request) => (request.body as { request_id: string }).request_id);
    expect(polled).toEqual(['R1', 'R2']);
  });

  it.each([
    ['user', undefined],
    ['server', 'Resume the run from its last checkpoint.'],
    ['something new', 'Resume the run from its last checkpoint.'],
  ])('tells a failure of category %s', async (category, hint) => {
    http.script(poll, { body: { error: 'the reason', category } });
    await expect(trainer.optimStep(adam)).rejects.toMatchObject({
      code: 'service',
      message: 'OptimStep failed: the reason.',
      category: category === 'something new' ? 'unknown' : category,
      hint,
    });
    expect(http.requests(step)).toHaveLength(1);
  });

  it('leaves out metrics that JSON could not hold', async () => {
    http.script(poll, { body: { metrics: { grad_norm: 1, 'ratio:max': null } } });
    expect(await trainer.optimStep(adam)).toEqual({ grad_norm: 1 });
  });

  it('does without the settings of a service that has none to tell', async () => {
    http.script('/api/v1/client/config', { status: 404, body: { detail: 'Not Found' } });
    const other = await TinkerClient.connect({ url: http.url, profile: localProfile, patience }, never);
    expect(other.baseModels).toEqual(['m']);
    other.dispose();
  });

  it('believes a service that keeps failing', async () => {
    http.script(poll, { status: 500, body: { detail: 'out of order' } });
    await expect(trainer.optimStep(adam)).rejects.toThrow('/api/v1/retrieve_future failed (500): out of order.');
  });

  it('stops waiting when it is left', async () => {
    http.script(poll, { body: { type: 'try_again' } });
    const stepping = trainer.optimStep(adam);
    client.dispose();
    await expect(stepping).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('says that the key was refused', async () => {
    http.script('/api/v1/client/config', { status: 401, body: { detail: 'unknown key' } });
    const connecting = TinkerClient.connect({ url: http.url, key: 'tml-x', profile: localProfile, patience }, never);
    await expect(connecting).rejects.toMatchObject({
      message: 'The training service refused the key: unknown key.',
      hint: 'Check the key of the service.',
    });
  });

  describe('saving under a name that is taken', () => {
    const save = '/api/v1/save_weights';
    const list = '/api/v1/training_runs/M/checkpoints';
    const mine = {
      checkpoint_id: 'weights/a',
      checkpoint_type: 'training',
      time: '',
      tinker_path: 'tinker://M/weights/a',
    };

    it('takes its own save for the one that is there when an answer was lost', async () => {
      http.script(save, 'hangUp', { status: 409 });
      http.script(list, { body: { checkpoints: [mine] } });
      expect(await trainer.save('a')).toBe('tinker://M/weights/a');
    });

    it('takes another name when the one that is there is older', async () => {
      http.script(save, { status: 409 }, { body: { request_id: 'R' } });
      http.script(poll, { body: { path: 'tinker://M/weights/a-2' } });
      expect(await trainer.save('a')).toBe('tinker://M/weights/a-2');
      expect(http.requests(save).map((request) => request.body)).toMatchObject([
        { path: 'a', seq_id: 1 },
        { path: 'a-2', seq_id: 1 },
      ]);
    });
  });

  it('waits for a sample only as long as its caller does, and lets the service know', async () => {
    const profile = { ...localProfile, batchesSamples: false };
    const other = await TinkerClient.connect({ url: http.url, key: 'tml-x', profile, patience }, never);
    http.script(
      poll,
      { body: { model_id: 'M' } },
      { body: { sampling_session_id: 'P' } },
      { body: { type: 'try_again' } },
    );
    http.script('/api/v1/save_weights_for_sampler', { body: { request_id: 'R' } });
    http.script('/api/v1/asample', { body: { request_id: 'sample' } });
    http.script('/api/v1/cancel_future', {});
    const policy = await (await other.createTrainer({}, never)).policy();
    const abort = new AbortController();
    const sampling = policy.sample({ prompt: [1], maxTokens: 2, stop: [], temperature: 1, seed: 4 }, abort.signal);
    await untilSeen('/api/v1/asample');
    abort.abort();
    await expect(sampling).rejects.toMatchObject({ name: 'AbortError' });
    await untilSeen('/api/v1/cancel_future');
    expect(http.requests('/api/v1/cancel_future')[0]!.body).toEqual({ request_id: 'sample' });
    other.dispose();
  });

  async function untilSeen(path: string): Promise<void> {
    while (http.requests(path).length === 0) await new Promise((resolve) => setImmediate(resolve));
  }
});
