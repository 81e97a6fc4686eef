import type { ServiceProfile } from './profile';
import type { Reduction } from './reduction';
import type { ServiceHttp } from './serviceHttp';

/** One session on a service, as the parts of the client share it. */
export interface Connection {
  readonly http: ServiceHttp;
  readonly profile: ServiceProfile;
  /** What the profile says, or what was measured. */
  readonly reduction: Reduction;
  readonly sessionId: string;
  /** Longest sequence, in tokens. */
  readonly context: number;
  readonly limits: { readonly datums: number; readonly bytes: number };
  /** Aborts when the client is disposed or the service has gone, with the reason. */
  readonly lifetime: AbortSignal;
  /** Bounds the samples in flight. */
  readonly sampling: <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;
  /** The next number of a sampler within the session. */
  nextSampler(): number;
  /** Is told why the service lets requests wait. */
  onWaiting(state: string): void;
}
