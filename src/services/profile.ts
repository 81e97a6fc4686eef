import type { LossFn } from '../schema/tinker';
import type { Reduction } from './reduction';

/** Where one training service differs from another. Everything else of the client is the same for all. */
export interface ServiceProfile {
  readonly name: 'local' | 'tinker' | 'skyrl' | 'tuft';
  /** Form of request bodies and results. */
  readonly body: 'json' | 'proto';
  /** How a pass without a gradient is asked for. A flag sent to a service that ignores it would train. */
  readonly forwardVia: 'endpoint' | 'flag';
  readonly auth: 'key' | 'none';
  /** How losses are reduced; what is sent is converted so that it is the sum. `measured`: found out when connecting. */
  readonly reduction: Reduction | 'measured';
  readonly losses: readonly LossFn[];
  /** `loss_fn_config.entropy_coef` is understood. */
  readonly entropy: boolean;
  /** A seed makes a sample reproducible. */
  readonly seeds: boolean;
  readonly needsMaxTokens: boolean;
  readonly stopArraysOnly: boolean;
  /** Policy losses get `weights`, the mask of trained tokens. */
  readonly sendWeightsWithRl: boolean;
  /** `adam_params.grad_clip_norm` is honoured. */
  readonly gradientClip: boolean;
  /** `DELETE /api/v1/samplers/{id}` lets go of a sampler. */
  readonly releasesSamplers: boolean;
  /** `cancel_future` ends a request that nobody waits for. */
  readonly cancels: boolean;
  /** `asample_batch`, and results inside `retrieve_futures`: an extension of the local trainer. */
  readonly batchesSamples: boolean;
  readonly sdkVersion: string;
  readonly limits: {
    /** Samples in flight at once. */
    readonly samples: number;
    /** Rows per request of a pass. The service may say less. */
    readonly datums: number;
  };
}

/** The trainer that comes with the product. */
export const localProfile: ServiceProfile = {
  name: 'local',
  body: 'json',
  forwardVia: 'endpoint',
  auth: 'key',
  reduction: 'sum',
  losses: ['cross_entropy', 'importance_sampling', 'ppo', 'cispo'],
  entropy: true,
  seeds: true,
  needsMaxTokens: false,
  stopArraysOnly: true,
  sendWeightsWithRl: true,
  gradientClip: true,
  releasesSamplers: true,
  cancels: true,
  batchesSamples: true,
  sdkVersion: '0.18.0',
  limits: { samples: 512, datums: 1024 },
};
