import { randomUUID } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import type * as z from 'zod';
import { RetoolError, reasonOf } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
import { backoff, isPassing, type Patience } from '../lib/patience';
import { Reach } from './reach';

/** An answer of the service with an error status. */
export class StatusError extends RetoolError {
  readonly status: number;
  /** Times the request was sent. */
  readonly attempts: number;

  constructor(path: string, status: number, detail: string, attempts: number) {
    const said = detail.replace(/\.?$/, '.');
    super(
      status === 401 ? 'key' : 'service',
      status === 401 ? `The training service refused the key: ${said}` : `${path} failed (${status}): ${said}`,
      {
        ...(status === 401 && { hint: 'Check the key of the service.' }),
      },
    );
    this.status = status;
    this.attempts = attempts;
  }
}

/** One answer, before its meaning is known. */
export interface RawReply {
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly text: string;
}

export interface HttpOptions {
  readonly url: string;
  readonly key: string | undefined;
  readonly connections: number;
  readonly patience: Patience;
  /** Ends every request and every wait, with its reason. */
  readonly lifetime: AbortSignal;
}

interface CallSettings {
  readonly retryConflicts?: boolean;
  readonly once?: boolean;
  readonly onceLost?: boolean;
  readonly onAgain?: (status: number) => void;
}

const retries = 10;
const requestMilliseconds = 60_000;
const connectMilliseconds = 5_000;

/** Keep-alive HTTP to one service, with the retries that every call may have. */
export class ServiceHttp {
  private readonly options: HttpOptions;
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly headers: Readonly<Record<string, string>>;
  /** Whether it answers, whatever is asked. */
  readonly reach: Reach;

  constructor(options: HttpOptions) {
    const { origin, pathname } = new URL(options.url);
    this.options = options;
    this.reach = new Reach(options.url);
    this.prefix = pathname.replace(/\/$/, '');
    this.headers = {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(options.key !== undefined && { 'x-api-key': options.key }),
    };
    this.pool = new Pool(origin, {
      connections: options.connections,
      connect: { timeout: connectMilliseconds },
      keepAliveTimeout: 30_000,
    });
  }

  /**
   * One logical call: sent again after lost connections, 408, 409, 429 and 5xx, with one idempotency key.
   *
   * @param settings.retryConflicts false where a 409 is an answer.
   * @param settings.once sends it once; `onceLost` gives up as soon as the connection is lost.
   * @param settings.onAgain is told the status for which it will be sent again.
   * @throws StatusError when the service refuses; RetoolError `service` when it cannot be reached.
   */
  async call<S extends z.ZodType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body: unknown,
    reply: S,
    signal: AbortSignal,
    settings: CallSettings = {},
  ): Promise<z.output<S>> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const extra = method === 'GET' ? {} : { 'x-idempotency-key': randomUUID() };
    for (let attempt = 0; ; attempt++) {
      const last = settings.once || attempt >= retries;
      let answer: RawReply;
      try {
        answer = await this.send(method, path, text, extra, signal, requestMilliseconds);
      } catch (error) {
        this.throwIfOver(signal);
        if (last || settings.onceLost) throw this.unreachable(error);
        await this.wait(attempt, undefined, signal);
        continue;
      }
      if (answer.status < 300) return this.read(path, reply, parseJson(answer.text));
      const again = !last && shouldRetry(answer, settings.retryConflicts ?? true);
      if (!again) throw new StatusError(path, answer.status, detailOf(answer.text), attempt + 1);
      settings.onAgain?.(answer.status);
      await this.wait(attempt, answer.headers, signal);
    }
  }

  /** Sends once. @throws whatever undici says when there is no answer. */
  async send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    text: string | undefined,
    extra: Readonly<Record<string, string>>,
    signal: AbortSignal,
    milliseconds: number,
  ): Promise<RawReply> {
    this.throwIfOver(signal);
    const asked = Date.now();
    try {
      const { statusCode, headers, body } = await this.pool.request({
        method,
        path: this.prefix + path,
        headers: { ...this.headers, ...extra },
        body: text ?? null,
        signal,
        headersTimeout: milliseconds,
        bodyTimeout: milliseconds,
      });
      const answer = { status: statusCode, headers, text: await body.text() };
      if (statusCode >= 500 || statusCode === 429) this.reach.lost(`status ${statusCode}`, asked);
      else this.reach.answered();
      return answer;
    } catch (error) {
      if (!signal.aborted && !this.options.lifetime.aborted) this.reach.lost(reasonOf(error), asked);
      throw error;
    }
  }

  /** @throws RetoolError `service` when the service said something that the protocol does not know. */
  read<S extends z.ZodType>(path: string, schema: S, reply: unknown): z.output<S> {
    const parsed = schema.safeParse(reply);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const place = issue?.path.join('.');
    const why = reply === undefined ? 'it is no JSON' : [place, issue?.message].filter(Boolean).join(': ');
    throw new RetoolError(
      'service',
      `What the training service at ${this.options.url} answered to ${path} cannot be read: ${why}.`,
      { hint: 'Check that the address is that of a training service, not of a page or a proxy before it.' },
    );
  }

  /** Waits before a request is sent again. @throws the reason of a signal that aborts meanwhile. */
  async pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    const { patience, lifetime } = this.options;
    await patience.sleep(milliseconds, AbortSignal.any([signal, lifetime])).catch(() => undefined);
    this.throwIfOver(signal);
  }

  /** @throws the reason of whichever of the two signals has aborted. */
  throwIfOver(signal: AbortSignal): void {
    this.options.lifetime.throwIfAborted();
    signal.throwIfAborted();
  }

  /** Hangs up at once: requests in flight reject with `reason`. */
  async destroy(reason: Error): Promise<void> {
    this.reach.dispose();
    await this.pool.destroy(reason);
  }

  unreachable(error: unknown): RetoolError {
    return new RetoolError(
      'service',
      `The training service at ${this.options.url} cannot be reached: ${reasonOf(error)}.`,
      {
        hint: 'Check that it runs and that the address is right.',
        cause: error,
      },
    );
  }

  private async wait(attempt: number, headers: RawReply['headers'] | undefined, signal: AbortSignal): Promise<void> {
    await this.pause(backoff(attempt, headers, this.options.patience), signal);
  }
}

/** The service's own words. */
export function detailOf(text: string): string {
  const body = parseJson(text);
  if (typeof body === 'object' && body !== null) {
    for (const key of ['detail', 'error', 'message'] as const) {
      const said = (body as Record<string, unknown>)[key];
      if (typeof said === 'string') return said;
    }
  }
  return text.slice(0, 500) || 'it gave no reason';
}

function shouldRetry({ status, headers }: RawReply, conflicts: boolean): boolean {
  const told = headers['x-should-retry'];
  if (told === 'true') return true;
  if (told === 'false') return false;
  return isPassing(status) || (status === 409 && conflicts);
}
