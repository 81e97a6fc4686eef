import { randomBytes } from 'node:crypto';
import { toFailure } from './fault';

interface Future {
  /** The body of `retrieve_future`, once it is known. */
  body: string | undefined;
  /** When it may be forgotten, milliseconds of the clock. */
  forgetAt: number;
  readonly waiters: Set<(body: string) => void>;
  readonly abort: AbortController;
}

const sweepMilliseconds = 10_000;
const undeliveredMilliseconds = 900_000;
/** A reply may be lost on its way, so a delivered result stays for a while. */
const deliveredMilliseconds = 30_000;

/** Results of two-step calls, kept until a while after they were fetched. */
export class Futures {
  private readonly prefix = `fut-${randomBytes(4).toString('hex')}`;
  private readonly futures = new Map<string, Future>();
  private readonly sweep = setInterval(() => this.forget(), sweepMilliseconds).unref();
  private count = 0;

  /**
   * @param work is told by its signal when nobody wants the result any more.
   * @param onSettled gets the result as `retrieve` would give it.
   * @returns the request's id, at once.
   */
  start(work: (signal: AbortSignal) => Promise<unknown>, onSettled?: (id: string, body: string) => void): string {
    const id = `${this.prefix}-${this.count++}`;
    const abort = new AbortController();
    const future: Future = { body: undefined, forgetAt: Number.POSITIVE_INFINITY, waiters: new Set(), abort };
    this.futures.set(id, future);
    const settled = (body: string) => {
      settle(future, body);
      onSettled?.(id, body);
    };
    work(abort.signal).then(
      (result) => settled(JSON.stringify(result)),
      (error: unknown) => settled(JSON.stringify(toFailure(error))),
    );
    return id;
  }

  /** Forgets a result that has arrived. */
  drop(id: string): void {
    this.futures.delete(id);
  }

  /**
   * Waits up to `holdMilliseconds` for a result.
   *
   * @returns the JSON body, `pending` when the time is over, `unknown` for an id that was never given or is forgotten.
   */
  retrieve(id: string, holdMilliseconds: number, signal: AbortSignal): Promise<string | 'pending' | 'unknown'> {
    const future = this.futures.get(id);
    if (!future) return Promise.resolve('unknown');
    if (future.body !== undefined) return Promise.resolve(deliver(future, future.body));
    return new Promise((resolve) => {
      const leave = (result: string) => {
        future.waiters.delete(settled);
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const settled = (body: string) => leave(deliver(future, body));
      const giveUp = () => leave('pending');
      const timer = setTimeout(giveUp, holdMilliseconds);
      signal.addEventListener('abort', giveUp, { once: true });
      future.waiters.add(settled);
    });
  }

  /** Ends the work of a request that nobody waits for. Unknown ids are fine. */
  cancel(id: string): void {
    this.futures.get(id)?.abort.abort();
  }

  dispose(): void {
    clearInterval(this.sweep);
    for (const future of this.futures.values()) future.abort.abort();
  }

  private forget(): void {
    const now = performance.now();
    for (const [id, future] of this.futures) if (future.forgetAt < now) this.futures.delete(id);
  }
}

function settle(future: Future, body: string): void {
  future.body = body;
  future.forgetAt = performance.now() + undeliveredMilliseconds;
  for (const waiter of [...future.waiters]) waiter(body);
}

function deliver(future: Future, body: string): string {
  future.forgetAt = performance.now() + deliveredMilliseconds;
  return body;
}
