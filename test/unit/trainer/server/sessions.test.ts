import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScriptedServer } from '../../../support/scriptedServer';

describe('a session of the server', () => {
  let service: ScriptedServer;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    service = await ScriptedServer.start({ sessionSeconds: 300 });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await service.close();
  });

  const openSampler = async () => {
    const { modelId, sessionId } = await service.createModel();
    const request = { model_id: modelId, seq_id: 1, sampling_session_seq_id: 0 };
    const { sampling_session_id: samplerId } = await service.finish('save_weights_for_sampler', request);
    return { modelId, sessionId, samplerId: samplerId as string };
  };
  const sessions = async () => (await service.send('GET', '/api/v1/sessions')).body.sessions;

  it('ends with its models and samplers when nothing was heard of it for long', async () => {
    const { modelId } = await openSampler();
    await vi.advanceTimersByTimeAsync(310_000);
    expect(await sessions()).toEqual([]);
    expect(service.engine.liveSnapshots).toBe(0);
    const reply = await service.post('get_info', { model_id: modelId });
    expect(reply.body.detail).toBe(`There is no model ${modelId}: it was unloaded, or the server was started anew.`);
  });

  it('lives as long as heartbeats come', async () => {
    const { sessionId } = await openSampler();
    await vi.advanceTimersByTimeAsync(200_000);
    await service.post('session_heartbeat', { session_id: sessionId });
    await vi.advanceTimersByTimeAsync(200_000);
    expect(await sessions()).toEqual([sessionId]);
  });

  it('lives as long as one of its requests is being worked on', async () => {
    const { sessionId, samplerId } = await openSampler();
    service.engine.holdSamples = true;
    const { body } = await service.post('asample', {
      sampling_session_id: samplerId,
      prompt: { chunks: [{ type: 'encoded_text', tokens: [1] }] },
      sampling_params: { max_tokens: 1 },
    });
    await vi.advanceTimersByTimeAsync(400_000);
    expect(await sessions()).toEqual([sessionId]);
    await service.post('cancel_future', { request_id: body.request_id });
    await service.post('retrieve_future', { request_id: body.request_id });
    await vi.advanceTimersByTimeAsync(310_000);
    expect(await sessions()).toEqual([]);
  });

  it('keeps only its newest samplers', async () => {
    const { modelId } = await openSampler();
    for (let seq = 2; seq <= 20; seq++) {
      await service.finish('save_weights_for_sampler', {
        model_id: modelId,
        seq_id: seq,
        sampling_session_seq_id: seq,
      });
    }
    expect(service.engine.liveSnapshots).toBe(16);
  });

  it('keeps the weights of a released sampler until its last sample has ended', async () => {
    const { samplerId } = await openSampler();
    service.engine.holdSamples = true;
    const { body } = await service.post('asample', {
      sampling_session_id: samplerId,
      prompt: { chunks: [{ type: 'encoded_text', tokens: [1] }] },
      sampling_params: { max_tokens: 1 },
    });
    await service.send('DELETE', `/api/v1/samplers/${samplerId}`);
    expect(service.engine.liveSnapshots).toBe(1);
    await service.post('cancel_future', { request_id: body.request_id });
    await service.post('retrieve_future', { request_id: body.request_id });
    expect(service.engine.liveSnapshots).toBe(0);
  });
});
