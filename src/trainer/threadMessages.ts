import type {
  AdamParameters,
  LossConfig,
  LossName,
  ModelShape,
  SampledSequence,
  SamplingRequest,
  TrainingRow,
} from './engine';
import type { RowOutput, ShardGradient } from './trainingPass';

/** What a compute thread is started with. */
export interface ThreadSetup {
  readonly kernels: WebAssembly.Module;
  readonly shape: ModelShape;
  readonly cacheBytes: number;
}

/** Arrays are views of shared memory. `version` names the content of `weights`, to load it once. */
export type ThreadCall =
  | {
      readonly kind: 'train';
      readonly version: string;
      readonly weights: Float32Array;
      readonly gradient: ShardGradient | undefined;
      readonly rows: readonly TrainingRow[];
      readonly loss: LossName;
      readonly config: LossConfig;
    }
  | {
      readonly kind: 'optimize';
      readonly weights: Float32Array;
      readonly m: Float32Array;
      readonly v: Float32Array;
      readonly shards: readonly Float32Array[];
      readonly adam: AdamParameters;
      readonly step: number;
    }
  | {
      readonly kind: 'sample';
      readonly snapshot: string;
      readonly weights: Float32Array;
      readonly request: SamplingRequest;
    };

export type ThreadRequest =
  | { readonly kind: 'call'; readonly id: number; readonly call: ThreadCall }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'release'; readonly snapshot: string };

export interface ThreadFailure {
  readonly code: 'data' | 'service' | 'bug';
  readonly message: string;
  readonly hint: string | undefined;
}

export type ThreadReply =
  | { readonly id: number; readonly value: RowOutput[] | number | SampledSequence }
  | { readonly id: number; readonly failure: ThreadFailure };
