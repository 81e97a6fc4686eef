import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

/** The clock and the dice of retries. */
export interface Patience {
  /** Rejects when `signal` aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
}

export const realPatience: Patience = {
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  random: () => randomBytes(4).readUInt32LE() / 2 ** 32,
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Milliseconds before a request is sent again: what the server asked for, or half a second, doubled, with jitter. */
export function backoff(attempt: number, headers: Headers | undefined, patience: Patience): number {
  const jitter = 1 - 0.25 * patience.random();
  return retryAfter(headers) ?? Math.min(500 * 2 ** attempt, 10_000) * jitter;
}

/** True for an answer that another try may better: time-outs, too many requests, faults of the server. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Milliseconds that the server asked for, if it is at most a minute. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const milliseconds = headers?.['retry-after-ms'] ?? Number(headers?.['retry-after']) * 1000;
  const value = Number(milliseconds);
  return value > 0 && value <= 60_000 ? value : undefined;
}
