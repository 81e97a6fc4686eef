import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { maximumBodyBytes } from '../../../../src/trainer/server/http';
import { lossInput, ScriptedServer, testKey } from '../../../support/scriptedServer';

const adam = { learning_rate: 0.1 };

describe('the server', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    service = await ScriptedServer.start({ holdSeconds: 0.05 });
  });
  afterEach(() => service.close());

  const forwardBackward = (modelId: string, seq: number, input: object = lossInput()) => ({
    model_id: modelId,
    seq_id: seq,
    forward_backward_input: input,
  });

  describe('lets in', () => {
    it('anybody to ask for its health', async () => {
      const reply = await service.send('GET', '/api/v1/healthz', undefined, { 'x-api-key': '' });
      expect(reply).toEqual({ status: 200, body: { status: 'ok' } });
    });

    it('nobody without the key', async () => {
      const reply = await service.post('client/config', { sdk_version: '1' }, { 'x-api-key': `${testKey}x` });
      expect(reply).toEqual({ status: 401, body: { detail: 'The X-API-Key header holds another key.' } });
    });

    it('nobody who calls it by another name than a loopback one', async () => {
      const reply = await service.post('client/config', { sdk_version: '1' }, { host: 'evil.example' });
      expect(reply.status).toBe(403);
      expect(reply.body.detail).toBe('This server answers on 127.0.0.1 only, not as evil.example.');
    });

    it('JSON bodies only', async () => {
      const reply = await service.post('forward_backward', 'x', { 'content-type': 'application/x-protobuf' });
      expect(reply).toEqual({ status: 415, body: { detail: 'This server reads JSON, not application/x-protobuf.' } });
    });
  });

  describe('refuses in one sentence', () => {
    it('a body that is too long, and serves the next request on the same connection', async () => {
      const { hostname, port } = new URL(service.server.url);
      const socket = connect(Number(port), hostname);
      let said = '';
      socket.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      const headers = `Host: 127.0.0.1\r\nX-API-Key: ${testKey}\r\n`;
      socket.write(`POST /api/v1/asample HTTP/1.1\r\n${headers}Content-Length: ${maximumBodyBytes + 1}\r\n\r\n`);
      const piece = Buffer.alloc(2 ** 20, ' ');
      for (let sent = 0; sent < maximumBodyBytes; sent += piece.length) {
        if (!socket.write(piece)) await once(socket, 'drain');
      }
      socket.write(` GET /api/v1/healthz HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`);
      await once(socket, 'close');
      const [tooLong, next] = said.split('HTTP/1.1 ').slice(1);
      expect(tooLong).toMatch(/^413 [\s\S]*"The request body is longer than \d+ bytes\."/);
      expect(next).toMatch(/^200 [\s\S]*"ok"/);
    });

    it.each([
      ['GET', 'training_runs/%2e%2e%2f/checkpoints'],
      ['GET', 'training_runs/%2e%2e%2f'],
      ['GET', 'training_runs/a%5cb/checkpoints'],
      ['GET', 'training_runs/a%00/checkpoints'],
      ['GET', 'training_runs/%/checkpoints'],
      ['DELETE', 'training_runs/..%2f..%2fetc/checkpoints/weights/a'],
      ['DELETE', 'training_runs/a/checkpoints/weights/%2e%2e'],
      ['GET', 'sessions/a.b'],
      ['GET', 'samplers/a.b'],
      ['DELETE', 'samplers/a.b'],
    ] as const)('%s %s, whose id is none', async (method, path) => {
      const { status, body } = await service.send(method, `/api/v1/${path}`);
      expect([400, 404]).toContain(status);
      expect(body.detail).toMatch(/is not an id: ids have 1 to 255 letters|^There is no (GET|DELETE) /);
    });

    it('a body that is not JSON', async () => {
      const reply = await service.post('create_session', '{"tags": [');
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toMatch(/^The request body is not JSON: /);
    });

    it.each([
      ['a missing field', { loss_fn: undefined }, {}, 422, /^forward_backward_input\.loss_fn: /],
      ['an unknown loss', { loss_fn: 'dro' }, {}, 422, /^forward_backward_input\.loss_fn: .*"cross_entropy"/],
      ['an unknown setting of the loss', { loss_fn_config: { beta: 1 } }, {}, 422, /loss_fn_config: .*"beta"/],
      ['a setting that the loss does not have', { loss_fn_config: { entropy_coef: 1 } }, {}, 400, /means nothing to/],
      ['an unknown tensor', {}, { mask: {} }, 422, /loss_fn_inputs: .*"mask"/],
      [
        'a number that JSON cannot hold',
        {},
        { weights: { data: [0, Number.NaN, 1], dtype: 'float32' } },
        422,
        /^forward_backward_input\.data\[0\]\.loss_fn_inputs\.weights\.data\[1\]: .*received null\.$/,
      ],
      [
        'a tensor of another length',
        {},
        { weights: { data: [1], dtype: 'float32' } },
        400,
        /^data\[0\]\.loss_fn_inputs\.weights has 1 elements, but model_input has 3 tokens\.$/,
      ],
      [
        'a token outside the vocabulary',
        {},
        { target_tokens: { data: [1, 2, 272], dtype: 'int64' } },
        400,
        /^data\[0\]\.loss_fn_inputs\.target_tokens has token 272, but the vocabulary has ids 0 to 271\.$/,
      ],
      ['a policy loss without advantages', { loss_fn: 'ppo' }, {}, 400, /needs logprobs and advantages for ppo/],
    ])('%s', async (_, overrides, inputs, status, message) => {
      const { modelId } = await service.createModel();
      const reply = await service.post('forward_backward', forwardBackward(modelId, 1, lossInput(overrides, inputs)));
      expect(reply.status).toBe(status);
      expect(reply.body.detail).toMatch(message);
      expect(service.engine.calls).toEqual([]);
    });

    it('a prompt that leaves no room in the context', async () => {
      const { modelId } = await service.createModel();
      const { sampling_session_id: id } = await service.finish('save_weights_for_sampler', {
        model_id: modelId,
        seq_id: 1,
        sampling_session_seq_id: 0,
      });
      const prompt = { chunks: [{ type: 'encoded_text', tokens: [1, 2, 3] }] };
      const reply = await service.post('asample', {
        sampling_session_id: id,
        prompt,
        sampling_params: { max_tokens: 62 },
      });
      expect(reply.status).toBe(400);
      expect(reply.body.detail).toBe(
        "PromptTooLong: prompt has 3 tokens and max_tokens is 62, but the model's context holds 64.",
      );
    });

    it('a path that it does not know', async () => {
      expect((await service.send('GET', '/api/v1/nothing')).body.detail).toBe('There is no GET /api/v1/nothing here.');
    });
  });

  describe('keeps the order of a model', () => {
    it('by number, whatever the order of arrival', async () => {
      const { modelId } = await service.createModel();
      const step = await service.post('optim_step', { model_id: modelId, seq_id: 2, adam_params: adam });
      const waiting = await service.post('retrieve_future', { request_id: step.body.request_id });
      expect(waiting.body).toMatchObject({ type: 'try_again', queue_state: 'active' });
      const pass = await service.post('forward_backward', forwardBackward(modelId, 1));
      await service.post('retrieve_future', { request_id: pass.body.request_id });
      const stepped = await service.post('retrieve_future', { request_id: step.body.request_id });
      expect(stepped.body.metrics).toEqual({ grad_norm: expect.any(Number) });
      expect(service.engine.calls).toEqual(['forwardBackward cross_entropy', 'optimStep']);
    });

    it('answers a repeated number with the first result when the request is the same', async () => {
      const { modelId } = await service.createModel();
      const first = await service.post('forward_backward', forwardBackward(modelId, 1));
      const second = await service.post('forward_backward', forwardBackward(modelId, 1));
      expect(second.body).toEqual(first.body);
      await service.post('retrieve_future', { request_id: first.body.request_id });
      expect(service.engine.calls).toHaveLength(1);
    });

    it('refuses a repeated number when the request is another', async () => {
      const { modelId } = await service.createModel();
      await service.post('forward_backward', forwardBackward(modelId, 1));
      const other = await service.post('optim_step', { model_id: modelId, seq_id: 1, adam_params: adam });
      expect(other.status).toBe(409);
      expect(other.body.detail).toBe('seq_id 1 was used by another request of this model.');
    });

    it('does not stall on the number of a refused request, which may be used again', async () => {
      const { modelId } = await service.createModel();
      const step = await service.post('optim_step', { model_id: modelId, seq_id: 2, adam_params: adam });
      const refused = await service.post(
        'forward_backward',
        forwardBackward(modelId, 1, lossInput({ loss_fn: 'dro' })),
      );
      expect(refused.status).toBe(422);
      const stepped = await service.post('retrieve_future', { request_id: step.body.request_id });
      expect(stepped.body).toHaveProperty('metrics');
      expect(await service.finish('forward_backward', forwardBackward(modelId, 1))).toHaveProperty('loss_fn_outputs');
    });

    it('goes on after a request that failed', async () => {
      const { modelId } = await service.createModel();
      service.engine.failure = new Error('the kernels are tired');
      const failed = await service.finish('forward_backward', forwardBackward(modelId, 1));
      expect(failed).toEqual({ error: 'the kernels are tired', category: 'server' });
      const step = await service.finish('optim_step', { model_id: modelId, seq_id: 2, adam_params: adam });
      expect(step).toHaveProperty('metrics');
    });

    it('fails what waits for its turn when the model is unloaded', async () => {
      const { modelId } = await service.createModel();
      const step = await service.post('optim_step', { model_id: modelId, seq_id: 2, adam_params: adam });
      await service.finish('unload_model', { model_id: modelId });
      const failed = await service.post('retrieve_future', { request_id: step.body.request_id });
      expect(failed.body).toEqual({ error: `The model ${modelId} was unloaded.`, category: 'user' });
      expect(service.engine.liveModels).toBe(0);
    });
  });

  it('does the work of one logical call once, however often its request comes', async () => {
    const { sessionId } = await service.createModel();
    const body = { session_id: sessionId, model_seq_id: 7, base_model: 'retool/local' };
    const headers = { 'x-idempotency-key': 'one' };
    const [first, second] = await Promise.all([
      service.post('create_model', body, headers),
      service.post('create_model', body, headers),
    ]);
    expect(second).toEqual(first);
    await service.post('retrieve_future', { request_id: first.body.request_id });
    expect(service.engine.liveModels).toBe(2);
  });

  it('says 410 of a result that it does not have', async () => {
    const reply = await service.post('retrieve_future', { request_id: 'fut-of-another-process' });
    expect(reply.status).toBe(410);
  });

  it('gives every sample of a request a seed of its own, and the same ones again', async () => {
    const { modelId } = await service.createModel();
    const { sampling_session_id: id } = await service.finish('save_weights_for_sampler', {
      model_id: modelId,
      seq_id: 1,
      sampling_session_seq_id: 0,
    });
    const request = {
      sampling_session_id: id,
      num_samples: 3,
      prompt: { chunks: [{ type: 'encoded_text', tokens: [1, 2] }] },
      sampling_params: { max_tokens: 8, seed: 5 },
      prompt_logprobs: true,
    };
    const first = await service.finish('asample', request);
    const tokens = (first.sequences as { tokens: number[] }[]).map((sequence) => sequence.tokens.join());
    expect(new Set(tokens).size).toBe(3);
    expect(first.prompt_logprobs).toEqual([null, expect.any(Number)]);
    expect(await service.finish('asample', request)).toEqual(first);
  });

  it('tells what it has', async () => {
    const { modelId, sessionId } = await service.createModel();
    await service.finish('save_weights', { model_id: modelId, seq_id: 1, path: 'a' });
    const { body: runs } = await service.send('GET', '/api/v1/training_runs');
    expect(runs).toMatchObject({
      training_runs: [{ training_run_id: modelId, last_checkpoint: { checkpoint_id: 'weights/a' } }],
      cursor: { offset: 0, limit: 20, total_count: 1 },
    });
    const { body: sessions } = await service.send('GET', `/api/v1/sessions/${sessionId}`);
    expect(sessions).toEqual({ training_run_ids: [modelId], sampler_ids: [] });
    const info = await service.post('get_info', { model_id: modelId });
    expect(info.body).toMatchObject({ model_name: 'retool/local', model_data: { arch: 'retool-local' } });
  });

  it('says which port is taken and what to do', async () => {
    const port = Number(new URL(service.server.url).port);
    await expect(ScriptedServer.start({ port })).rejects.toMatchObject({
      code: 'service',
      message: `Port ${port} on 127.0.0.1 is in use.`,
      hint: 'Choose another with --port, or 0 for any free one.',
    });
  });
});
