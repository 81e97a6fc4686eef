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

/** Milliseconds that are waited at most, whatever a server asks for. */
const longestWait = 120_000;

/** Milliseconds that the server asked for, in `retry-after-ms`, or in `retry-after` as seconds or a date. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const [milliseconds, after] = [headers?.['retry-after-ms'], headers?.['retry-after']];
  const asked = milliseconds !== undefined ? Number(milliseconds) : Number(after) * 1000;
  const value = Number.isNaN(asked) && after !== undefined ? Date.parse(String(after)) - Date.now() : asked;
  return value > 0 ? Math.min(value, longestWait) : undefined;
}
