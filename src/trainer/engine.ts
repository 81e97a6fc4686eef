import type { Disposable } from '../lib/lifecycle';
import type { KernelKind } from '../schema/trainerProcess';

/** The architecture of a local policy. `width` is divisible by `heads`, and `width / heads` by 4. */
export interface ModelShape {
  readonly vocabulary: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Longest sequence, in tokens. At most 2,048. */
  readonly context: number;
}

/** One tensor of a model or of its optimizer, row-major float32. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Named tensors: `model.<name>`, and with optimizer state `adam.m.<name>`, `adam.v.<name>` and `adam.step` (shape [1]). */
export type ModelState = ReadonlyMap<string, Tensor>;

/** One training row of N tokens. Position t describes the prediction of `targets[t]` from `tokens[0..t]`. */
export interface TrainingRow {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
  /** cross_entropy: weight of each target. Policy losses: optional mask of the entropy term (default: advantage is not 0). */
  readonly weights?: Float32Array;
  /** Policy losses: log-probability at sampling, nats. */
  readonly logprobs?: Float32Array;
  /** Policy losses: 0 on tokens that are not trained. */
  readonly advantages?: Float32Array;
}

export type LossName = 'cross_entropy' | 'importance_sampling' | 'ppo' | 'cispo';

/** `ppo` and `cispo` clip the probability ratio at absolute thresholds. The entropy bonus is summed over its tokens. */
export interface LossConfig {
  readonly clip_low_threshold?: number;
  readonly clip_high_threshold?: number;
  readonly entropy_coef?: number;
}

export interface LossOutput {
  /** One array per row: the trainer's log-probability of each target, nats. */
  readonly logprobs: readonly Float32Array[];
  /** One array per row: the loss term of each token (entropy not included). */
  readonly elementwiseLoss: readonly Float32Array[];
  /**
   * `loss:sum` is what was differentiated (entropy term included). Over the tokens of the entropy mask also `entropy:sum`
   * and `tokens:sum`; of policy losses `clipped:sum` (tokens whose gradient the clip removed) and `ratio:max`.
   */
  readonly metrics: Readonly<Record<string, number>>;
}

export interface AdamParameters {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  /** Global norm to clip to; 0 is off. */
  readonly grad_clip_norm: number;
}

export interface SamplingRequest {
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  /** Sampling ends after any of these sequences of sampled tokens, which is part of the result. */
  readonly stop: readonly (readonly number[])[];
  /** 0 is greedy. Log-probabilities returned are those of the unmodified distribution (temperature 1, no top-k, no top-p). */
  readonly temperature: number;
  /** -1 is off. */
  readonly topK: number;
  /** 1 is off. */
  readonly topP: number;
  /** The only source of randomness: token i of the result depends on (seed, i, distribution) alone. */
  readonly seed: number;
  readonly promptLogprobs: boolean;
}

export interface SampledSequence {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly stopReason: 'stop' | 'length';
  /** Prompt tokens whose keys and values were found in the cache. */
  readonly cachedTokens: number;
  /** One per prompt token, the first NaN; empty unless asked for. */
  readonly promptLogprobs: Float32Array;
}

/**
 * The numerical part of the local trainer: models, gradients, optimizer, sampling; threads inside.
 *
 * Bit-equal results are part of the contract: with the same kind of kernels, the same calls give the same floats with one thread or more, whatever the
 * other requests in flight and their order of arrival, and whether a prefix came from the cache or not.
 */
export interface Engine extends Disposable {
  readonly shape: ModelShape;
  readonly parameters: number;
  readonly kernels: KernelKind;

  /** @param seed of the initial weights. */
  createModel(model: string, seed: number): Promise<void>;
  deleteModel(model: string): Promise<void>;
  forward(model: string, rows: readonly TrainingRow[], loss: LossName, config: LossConfig): Promise<LossOutput>;
  /** Adds the gradient of the summed loss to what has accumulated since the last `optimStep`. */
  forwardBackward(model: string, rows: readonly TrainingRow[], loss: LossName, config: LossConfig): Promise<LossOutput>;
  /** Adam with bias correction and decoupled decay; consumes the gradient. @returns the norm before clipping. */
  optimStep(model: string, adam: AdamParameters): Promise<{ gradientNorm: number }>;
  exportState(model: string, optimizer: boolean): Promise<ModelState>;
  /** @throws RetoolError `data` naming the first tensor that is missing or of another shape. */
  importState(model: string, state: ModelState, optimizer: boolean): Promise<void>;

  /** Freezes the model's weights for sampling. */
  snapshot(model: string): Promise<string>;
  /** Freezes given weights for sampling. */
  snapshotOf(state: ModelState): Promise<string>;
  releaseSnapshot(snapshot: string): Promise<void>;
  /** Continuous batching: requests may arrive at any time and end in any order. */
  sample(snapshot: string, request: SamplingRequest, signal: AbortSignal): Promise<SampledSequence>;

  /** Totals since the start: prompt tokens asked for, of them found in the cache, tokens sampled. */
  statistics(): { promptTokens: number; cachedTokens: number; sampledTokens: number };
}

/** Where the built parts are: the compute thread's script and the kernels' WASM files, the fastest first. */
export interface EngineAssets {
  readonly computeScript: string;
  readonly kernels: readonly string[];
}
