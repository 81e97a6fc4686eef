import { backoff, type Patience } from '../lib/patience';
import type { HubAnswer } from './hubHttp';
import { type HubSource, sourceName } from './hubSource';

/** How far a file has come. */
export interface FetchProgress {
  readonly name: string;
  /** Bytes, those of an earlier download included. */
  readonly received: number;
  /** Bytes; undefined where the hub does not tell. */
  readonly total: number | undefined;
  /** While it does not answer, and before it is tried again: the host that is waited for, and the number of the try. */
  readonly waiting?: { readonly host: string; readonly next: number; readonly tries: number };
}

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onFetch?: ((progress: FetchProgress) => void) | undefined;
}

/** Times that a hub is asked without getting on. */
export const tries = 4;

/** Who asks a hub, and how patiently. */
export interface HubClient extends FetchOptions {
  readonly token: string | undefined;
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

const silentMilliseconds = 3_000;

/**
 * Says that a hub is waited for while `asking` gets no answer for a few seconds.
 *
 * @param attempt that this is, from 0.
 */
export async function tellingSilence<T>(
  asking: Promise<T>,
  server: HubSource,
  { name, received }: { readonly name: string; readonly received: number },
  attempt: number,
  onFetch: FetchOptions['onFetch'],
): Promise<T> {
  const waiting = { host: sourceName(server), next: attempt + 1, tries };
  const due = setTimeout(() => onFetch?.({ name, received, total: undefined, waiting }), silentMilliseconds);
  return asking.finally(() => clearTimeout(due));
}

/**
 * Waits before a hub is asked again, and says so.
 *
 * @param attempt that has failed, from 0.
 * @throws the reason of the signal when it aborts.
 */
export async function waitForHub(
  server: HubSource,
  { name, received }: { readonly name: string; readonly received: number },
  attempt: number,
  headers: HubAnswer['headers'] | undefined,
  { patience, signal, onFetch }: HubClient,
): Promise<void> {
  onFetch?.({ name, received, total: undefined, waiting: { host: sourceName(server), next: attempt + 2, tries } });
  await patience.sleep(backoff(attempt, headers, patience), signal).catch(() => undefined);
  signal.throwIfAborted();
}
