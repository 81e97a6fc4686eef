import { deriveSeed } from '../../lib/seed';
import { CreateSamplingSessionRequest, SampleRequest } from '../../schema/tinker';
import type { SampledSequence, SamplingRequest } from '../engine';
import { parseTinkerPath } from './checkpointStore';
import { Fault } from './fault';
import { toTokens } from './lossRows';
import { randomSeed } from './randomSeed';
import { type Context, parseBody, type Routes } from './routes';

/** Seed of the weights that a model without training samples from. */
const baseSeed = 0;

/** Sampling sessions and sampling. */
export function samplingRoutes({ engine, store, futures, registry, baseModel }: Context): Routes {
  return {
    'POST /api/v1/create_sampling_session': async (call) => {
      const request = parseBody(CreateSamplingSessionRequest, call);
      const session = registry.session(request.session_id);
      const sampler = await registry.working(session, async () => {
        const path = request.model_path;
        if (!path && request.base_model !== baseModel) {
          throw new Fault(400, `base_model ${request.base_model} is not here: this server has ${baseModel}.`);
        }
        const snapshot = path
          ? await engine.snapshotOf(await store.load(parseTinkerPath(path, 'sampler_weights')))
          : await registry.freshSnapshot(baseSeed);
        return registry.addSampler(session, request.sampling_session_seq_id, snapshot, path ?? null);
      });
      return { type: 'create_sampling_session', sampling_session_id: sampler.id };
    },

    'POST /api/v1/asample': (call) => {
      const request = parseBody(SampleRequest, call);
      const sampler = registry.sampler(request.sampling_session_id);
      const prompt = toTokens(request.prompt.chunks, engine.shape, 'prompt');
      const params = request.sampling_params;
      const room = engine.shape.context - prompt.length;
      const maxTokens = params.max_tokens ?? room;
      if (maxTokens > room || room === 0) {
        throw new Fault(
          400,
          `PromptTooLong: prompt has ${prompt.length} tokens and max_tokens is ${maxTokens}, but the model's context holds ${engine.shape.context}.`,
        );
      }
      if (params.top_k === 0) throw new Fault(422, 'sampling_params.top_k: give -1 for off, or 1 and more.');
      const seed = params.seed ?? randomSeed();
      const own: Omit<SamplingRequest, 'seed' | 'promptLogprobs'> = {
        prompt,
        maxTokens,
        stop: params.stop ?? [],
        temperature: params.temperature,
        topK: params.top_k,
        topP: params.top_p,
      };
      const promptLogprobs = request.prompt_logprobs ?? false;
      const requestId = futures.start((signal) =>
        registry.sampling(sampler, async () => {
          const rows = Array.from({ length: request.num_samples }, (_, index) => {
            const row = { ...own, seed: seedOf(seed, index), promptLogprobs: promptLogprobs && index === 0 };
            return engine.sample(sampler.snapshot, row, signal);
          });
          return toReply(await Promise.all(rows), promptLogprobs);
        }),
      );
      return { request_id: requestId, sample_sequence_ids: sequenceIds(requestId, request.num_samples) };
    },

    'GET /api/v1/samplers/{id}': ({ params }) => {
      const sampler = registry.sampler(params[0]!);
      return { sampler_id: sampler.id, base_model: baseModel, model_path: sampler.modelPath };
    },

    'DELETE /api/v1/samplers/{id}': async ({ params }) => {
      await registry.releaseSampler(registry.sampler(params[0]!));
      return {};
    },
  };
}

/** The seed itself for the first sample, so that a request of one is reproduced by the engine alone. */
function seedOf(seed: number, index: number): number {
  return index === 0 ? seed : deriveSeed(seed, 'sample', index);
}

function sequenceIds(requestId: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${requestId}-${index}`);
}

function toReply(sequences: readonly SampledSequence[], promptLogprobs: boolean): object {
  return {
    type: 'sample',
    sequences: sequences.map(({ tokens, logprobs, stopReason }) => ({
      tokens: Array.from(tokens),
      logprobs: Array.from(logprobs),
      stop_reason: stopReason,
    })),
    // JSON has no NaN: the first token's becomes null.
    prompt_logprobs: promptLogprobs ? Array.from(sequences[0]!.promptLogprobs) : null,
    topk_prompt_logprobs: null,
    prompt_cache_hit_tokens: sequences[0]!.cachedTokens,
  };
}
