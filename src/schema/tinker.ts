import * as z from 'zod';
import { KernelKind } from './trainerProcess';

/** The JSON form of the Tinker protocol: requests as the server reads them, replies as the client reads them. */

const id = z.string().min(1);
const seq = z.int().min(0);
const ids = z.array(z.int());

/** Names of checkpoints. */
export const CheckpointName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,255}$/, 'use 1 to 255 letters, digits, dashes and underscores');

export const ClientConfig = z.looseObject({
  fwdbwd_max_chunk_len: z.int().min(1).default(1024),
  fwdbwd_max_chunk_bytes_count: z.int().min(1).default(5_000_000),
});

export const ServerCapabilities = z.looseObject({
  supported_models: z.array(
    z.looseObject({
      model_name: z.string().nullish(),
      max_context_length: z.int().nullish(),
      local: z
        .object({ layers: z.int(), width: z.int(), heads: z.int(), kernels: KernelKind })
        .partial()
        .optional()
        .describe('An extension of the local trainer: what its model is made of.'),
    }),
  ),
});

export const CreateSessionRequest = z.object({
  tags: z.array(z.string()),
  user_metadata: z.record(z.string(), z.unknown()).nullish(),
  sdk_version: z.string(),
  project_id: z.string().nullish(),
});
export const CreateSessionReply = z.looseObject({
  session_id: id,
  info_message: z.string().nullish(),
  warning_message: z.string().nullish(),
  error_message: z.string().nullish(),
});

export const HeartbeatRequest = z.object({ session_id: id });

export const CreateModelRequest = z.object({
  session_id: id,
  model_seq_id: seq,
  base_model: id,
  lora_config: z.object({ rank: z.int().min(1).nullish(), seed: z.int().nullish() }).nullish(),
  user_metadata: z.record(z.string(), z.unknown()).nullish(),
});
export const CreateModelResult = z.looseObject({ model_id: id });

export const ModelRequest = z.object({ model_id: id });

const Chunk = z.discriminatedUnion('type', [z.object({ type: z.literal('encoded_text'), tokens: ids })], {
  error: 'only chunks of type encoded_text are supported',
});
export const ModelInput = z.object({ chunks: z.array(Chunk).min(1) });

export const TensorData = z
  .object({
    data: z.array(z.number()),
    dtype: z.enum(['float32', 'int64']),
    shape: z.array(z.int()).nullish(),
    sparse_crow_indices: z.null({ error: 'sparse tensors are not supported' }).optional(),
    sparse_col_indices: z.null({ error: 'sparse tensors are not supported' }).optional(),
  })
  .refine(({ data, shape }) => !shape || (shape.length === 1 && shape[0] === data.length), {
    path: ['shape'],
    message: 'must be the number of entries in data: tensors of one dimension are supported',
  });
export type TensorData = z.infer<typeof TensorData>;

export const WireDatum = z.object({
  model_input: ModelInput,
  loss_fn_inputs: z.strictObject({
    target_tokens: TensorData,
    weights: TensorData.optional(),
    logprobs: TensorData.optional(),
    advantages: TensorData.optional(),
  }),
});
export type WireDatum = z.infer<typeof WireDatum>;

export const LossFn = z.enum(['cross_entropy', 'importance_sampling', 'ppo', 'cispo']);
export type LossFn = z.infer<typeof LossFn>;

/** `entropy_coef` is a key of the local trainer alone. */
export const LossFnConfig = z
  .strictObject({
    clip_low_threshold: z.number().min(0).exactOptional(),
    clip_high_threshold: z.number().min(0).exactOptional(),
    entropy_coef: z.number().exactOptional(),
  })
  .refine(({ clip_low_threshold: low = 0, clip_high_threshold: high = Number.POSITIVE_INFINITY }) => low <= high, {
    path: ['clip_low_threshold'],
    message: 'must not be above clip_high_threshold',
  });
export type LossFnConfig = z.infer<typeof LossFnConfig>;

export const LossInput = z.object({
  data: z.array(WireDatum).min(1),
  loss_fn: LossFn,
  loss_fn_config: LossFnConfig.nullish(),
});
export type LossInput = z.infer<typeof LossInput>;

/** What every request in a model's order carries. */
export const OrderedRequest = z.object({ model_id: id, seq_id: z.int().min(1) });

export const ForwardRequest = OrderedRequest.extend({ forward_input: LossInput });
export const ForwardBackwardRequest = OrderedRequest.extend({ forward_backward_input: LossInput });
/** JSON has no infinity: a metric that is not finite comes as null. */
const metrics = z.record(z.string(), z.number().nullable()).nullish();

export const LossResultReply = z.looseObject({
  loss_fn_outputs: z.array(z.looseObject({ logprobs: z.looseObject({ data: z.array(z.number()) }).optional() })),
  metrics,
});
export type LossResultReply = z.infer<typeof LossResultReply>;

export const AdamParams = z.object({
  learning_rate: z.number().min(0).default(1e-4),
  beta1: z.number().min(0).lt(1).default(0.9),
  beta2: z.number().min(0).lt(1).default(0.95),
  eps: z.number().min(0).default(1e-12),
  weight_decay: z.number().min(0).default(0),
  grad_clip_norm: z.number().min(0).default(0),
});
export const OptimStepRequest = OrderedRequest.extend({ adam_params: AdamParams });
export const OptimStepResult = z.looseObject({ metrics });

export const SaveWeightsRequest = OrderedRequest.extend({
  path: CheckpointName,
  ttl_seconds: z.int().nullish(),
  overwrite: z.boolean().nullish(),
});
export const SaveWeightsResult = z.looseObject({ path: id });

export const SaveForSamplerRequest = OrderedRequest.extend({
  path: CheckpointName.nullish(),
  sampling_session_seq_id: seq.nullish(),
  ttl_seconds: z.int().nullish(),
});
export const SaveForSamplerResult = z.looseObject({
  path: z.string().nullish(),
  sampling_session_id: z.string().nullish(),
});

export const LoadWeightsRequest = OrderedRequest.extend({ path: id, optimizer: z.boolean() });
export const LoadWeightsResult = z.looseObject({});

export const WeightsInfoRequest = z.object({ tinker_path: id });
export const WeightsInfoReply = z.looseObject({ base_model: id, lora_rank: z.int().nullish() });

export const CreateSamplingSessionRequest = z
  .object({
    session_id: id,
    sampling_session_seq_id: seq,
    base_model: z.string().nullish(),
    model_path: z.string().nullish(),
  })
  .refine((request) => Boolean(request.base_model) || Boolean(request.model_path), {
    error: 'give base_model or model_path',
  });
export const CreateSamplingSessionReply = z.looseObject({ sampling_session_id: id });

export const SamplingParams = z.object({
  max_tokens: z.int().min(1).nullish(),
  seed: z.int().nullish(),
  stop: z
    .union([z.array(z.int()), z.array(z.string().min(1)), z.string().min(1)], {
      error: 'give token ids, a text, or a list of texts',
    })
    .nullish(),
  temperature: z.number().min(0).default(1),
  top_k: z.int().min(-1).default(-1),
  top_p: z.number().gt(0).max(1).default(1),
});
export const SampleRequest = z.object({
  sampling_session_id: id,
  seq_id: z.int().nullish(),
  num_samples: z.int().min(1).max(1024).default(1),
  prompt: ModelInput,
  sampling_params: SamplingParams,
  prompt_logprobs: z.boolean().nullish(),
  topk_prompt_logprobs: z.literal(0, { error: 'top-k prompt log-probabilities are not supported' }).nullish(),
});
export const SampleReply = z.looseObject({
  sequences: z
    .array(
      z.looseObject({
        tokens: z.array(z.number()),
        logprobs: z.array(z.number()).nullish(),
        stop_reason: z.enum(['stop', 'length']),
      }),
    )
    .min(1),
});
export type SampleReply = z.infer<typeof SampleReply>;

/** Many sampling requests at once, each as `asample` takes it. A call of the local trainer alone. */
export const SampleBatchRequest = z.object({ requests: z.array(z.unknown()).min(1) });
export const SampleBatchReply = z.looseObject({
  /** In the order of the requests. */
  replies: z.array(
    z.union([z.looseObject({ request_id: id }), z.looseObject({ status: z.int(), detail: z.string() })]),
  ),
});

/** Waits for results of any request of a sampler after `prev_cursor`. */
export const RetrieveFuturesRequest = z.object({
  target: z.object({ type: z.literal('sampling_session'), sampling_session_id: id }),
  prev_cursor: z.int().min(0).nullish(),
});
export const RetrieveFuturesReply = z.looseObject({
  completions: z.array(
    z.looseObject({
      state: z.enum(['finished', 'failed']),
      request_id: id,
      /** The result itself, which spares a `retrieve_future`. The local trainer alone gives it. */
      response: z.unknown(),
    }),
  ),
  cursor: z.int(),
});

/** The immediate answer to a two-step call. */
export const FutureReply = z.looseObject({ request_id: id });

export const RetrieveFutureRequest = z.object({ request_id: id });
export const CancelFutureRequest = z.object({ request_id: z.union([id, z.array(id)]) });

export const TryAgain = z.looseObject({
  type: z.literal('try_again'),
  queue_state: z.string().nullish(),
  queue_state_reason: z.string().nullish(),
});
export const FailedFuture = z.looseObject({ error: z.string(), category: z.string().nullish() });
/** Whose fault a failed request was, as the service sees it. */
export type FailureCategory = 'user' | 'server' | 'unknown';

export const Checkpoint = z.looseObject({
  checkpoint_id: z.string(),
  checkpoint_type: z.enum(['training', 'sampler']),
  time: z.string().describe('ISO 8601.'),
  tinker_path: z.string(),
  size_bytes: z.int().nullish(),
  public: z.boolean().nullish(),
  expires_at: z.string().nullish(),
});
export type Checkpoint = z.infer<typeof Checkpoint>;
export const CheckpointList = z.looseObject({ checkpoints: z.array(Checkpoint) });
