import { setMaxListeners } from 'node:events';
import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import type { Policy, Sample, SampleRequest } from '../rl/ports';
import { SampleReply } from '../schema/tinker';
import type { Connection } from './connection';
import { readResult, retrieve, submit } from './future';
import { SampleCourier } from './sampleCourier';
import { StatusError } from './serviceHttp';

/** Frozen weights on a service. */
export class TinkerPolicy implements Policy {
  private readonly connection: Connection;
  private readonly id: string;
  private readonly courier: SampleCourier | undefined;
  private nextSeq = 0;

  /** @param id of the sampling session. */
  constructor(connection: Connection, id: string) {
    this.connection = connection;
    this.id = id;
    if (connection.profile.batchesSamples) this.courier = new SampleCourier(connection, id);
  }

  sample(request: SampleRequest, signal: AbortSignal): Promise<Sample> {
    // One signal ends hundreds of samples.
    setMaxListeners(0, signal);
    return this.connection.sampling(signal, () => this.sampleNow(request, signal));
  }

  async release(): Promise<void> {
    const { http, profile, lifetime } = this.connection;
    if (!profile.releasesSamplers) return;
    await http
      .call('DELETE', `/api/v1/samplers/${encodeURIComponent(this.id)}`, undefined, z.unknown(), lifetime)
      .catch((error: unknown) => {
        if (!(error instanceof StatusError) || error.status !== 404) throw error;
      });
  }

  private async sampleNow(request: SampleRequest, signal: AbortSignal): Promise<Sample> {
    const { http, profile, lifetime, onWaiting } = this.connection;
    const step = {
      path: '/api/v1/asample',
      type: 'Sample',
      result: SampleReply,
      body: {
        sampling_session_id: this.id,
        seq_id: this.nextSeq++,
        num_samples: 1,
        prompt: { chunks: [{ type: 'encoded_text', tokens: request.prompt }] },
        sampling_params: {
          max_tokens: request.maxTokens,
          temperature: request.temperature,
          top_k: request.topK ?? -1,
          top_p: request.topP ?? 1,
          stop: request.stop,
          ...(profile.seeds && { seed: request.seed }),
        },
        prompt_logprobs: false,
        topk_prompt_logprobs: 0,
        type: 'sample',
      },
    };
    if (this.courier)
      return checked(readResult(this.connection.http, step, await this.courier.carry(step.body, signal)));
    // Not under the caller's signal: the id of an accepted request is needed to cancel it.
    const accepted = submit(http, step, lifetime);
    try {
      const requestId = await orAbort(accepted, signal);
      return checked(await retrieve(http, step, requestId, signal, onWaiting));
    } catch (error) {
      if (signal.aborted) this.cancel(accepted);
      throw error;
    }
  }

  /** Tells the service that nobody waits. What becomes of that is nobody's concern either. */
  private cancel(accepted: Promise<string>): void {
    const { http, profile, lifetime } = this.connection;
    if (!profile.cancels) return;
    accepted
      .then((id) =>
        http.call('POST', '/api/v1/cancel_future', { request_id: id }, z.unknown(), lifetime, { once: true }),
      )
      .catch(() => undefined);
  }
}

function checked({ sequences: [sequence] }: SampleReply): Sample {
  const { tokens, logprobs, stop_reason: stop } = sequence!;
  if (logprobs?.length !== tokens.length) {
    throw new RetoolError(
      'service',
      `The service sampled ${tokens.length} tokens but gave ${logprobs?.length ?? 0} log-probabilities.`,
    );
  }
  return { tokens, logprobs, stop };
}

function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
