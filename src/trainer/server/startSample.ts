import type * as z from 'zod';
import { deriveSeed } from '../../lib/seed';
import type { SampleRequest } from '../../schema/tinker';
import type { SampledSequence, SamplingRequest } from '../engine';
import { stopSequences } from '../vocabulary';
import { Fault } from './fault';
import { toTokens } from './lossRows';
import { randomSeed } from './randomSeed';
import type { Context } from './routes';

/** Begins to sample. @returns the answer to `asample`. @throws Fault */
export function startSample({ engine, futures, registry }: Context, request: z.output<typeof SampleRequest>): object {
  const sampler = registry.sampler(request.sampling_session_id);
  const params = request.sampling_params;
  const prompt = toTokens(request.prompt.chunks, engine.shape, 'prompt');
  const room = engine.shape.context - prompt.length;
  const maxTokens = params.max_tokens ?? room;
  if (maxTokens > room || room === 0) {
    const asked = `prompt has ${prompt.length} tokens and max_tokens is ${maxTokens}`;
    throw new Fault(400, `PromptTooLong: ${asked}, but the model's context holds ${engine.shape.context}.`);
  }
  if (params.top_k === 0) throw new Fault(422, 'sampling_params.top_k: give -1 for off, or 1 and more.');
  const seed = params.seed ?? randomSeed();
  const shared: Omit<SamplingRequest, 'seed' | 'promptLogprobs'> = {
    prompt,
    maxTokens,
    stop: stopSequences(params.stop ?? []),
    temperature: params.temperature,
    topK: params.top_k,
    topP: params.top_p,
  };
  const promptLogprobs = request.prompt_logprobs ?? false;
  const sample = (signal: AbortSignal) =>
    registry.sampling(sampler, async () => {
      const rows = Array.from({ length: request.num_samples }, (_, index) =>
        engine.sample(
          sampler.snapshot,
          { ...shared, seed: seedOf(seed, index), promptLogprobs: promptLogprobs && index === 0 },
          signal,
        ),
      );
      return toReply(await Promise.all(rows), promptLogprobs);
    });
  const requestId = futures.start(sample, (id, body) => sampler.completions.add(id, body));
  const ids = Array.from({ length: request.num_samples }, (_, index) => `${requestId}-${index}`);
  return { request_id: requestId, sample_sequence_ids: ids };
}

/** The seed itself for the first sample, so that a request of one is reproduced by the engine alone. */
function seedOf(seed: number, index: number): number {
  return index === 0 ? seed : deriveSeed(seed, 'sample', index);
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
