import { createHash } from 'node:crypto';
import { Fault } from './fault';
import type { Futures } from './futures';

/** Accepted requests that are remembered for repeats. */
const remembered = 4096;

/**
 * The order of one model's requests: they run one after the other by sequence number, from 1, whatever the order of
 * arrival. A missing number stalls those after it.
 */
export class ModelOrder {
  private readonly futures: Futures;
  private readonly accepted = new Map<number, { readonly digest: string; readonly requestId: string }>();
  private readonly waiting = new Map<number, PromiseWithResolvers<void>>();
  /** Numbers whose request was refused: they hold nobody up, and a better request may still use them. */
  private readonly refused = new Set<number>();
  private next = 1;
  private running: Promise<unknown> = Promise.resolve();
  private closed: Fault | undefined;

  constructor(futures: Futures) {
    this.futures = futures;
  }

  /** True until the first request is accepted. */
  get fresh(): boolean {
    return this.accepted.size === 0;
  }

  /**
   * Takes a request into the order; `work` runs when all earlier numbers have run.
   *
   * @param body of the request as it came: a repeat of it gets the first one's future.
   * @param refuse throws where a request that is no repeat must not be taken; its number stays free then.
   * @returns the request's id, at once.
   * @throws Fault 409 when the number was used by another request.
   */
  accept(seq: number, body: Uint8Array, work: () => Promise<unknown>, refuse?: () => void): string {
    const digest = createHash('sha1').update(body).digest('base64');
    const known = this.accepted.get(seq);
    if (known?.digest === digest) return known.requestId;
    if (known || (seq < this.next && !this.refused.has(seq)))
      throw new Fault(409, `seq_id ${seq} was used by another request of this model.`);
    if (this.closed) throw this.closed;
    refuse?.();
    this.refused.delete(seq);
    const requestId = this.futures.start(async () => {
      await this.turn(seq);
      const result = this.running.then(() => {
        if (this.closed) throw this.closed;
        return work();
      });
      this.running = result.catch(() => undefined);
      if (seq === this.next) this.advance();
      return result;
    });
    this.accepted.set(seq, { digest, requestId });
    if (this.accepted.size > remembered) this.accepted.delete(this.accepted.keys().next().value as number);
    return requestId;
  }

  /** Lets later numbers pass one whose request was refused. Clients give it up or use it again, as they are made. */
  skip(seq: number): void {
    if (seq < this.next || this.accepted.has(seq)) return;
    this.refused.add(seq);
    if (seq === this.next) this.advance();
  }

  /** Fails what has not begun and waits for what has. */
  async close(reason: Fault): Promise<void> {
    this.closed = reason;
    for (const { reject } of this.waiting.values()) reject(reason);
    this.waiting.clear();
    await this.running;
  }

  private advance(): void {
    do this.next += 1;
    while (this.refused.has(this.next));
    this.waiting.get(this.next)?.resolve();
    this.waiting.delete(this.next);
  }

  private async turn(seq: number): Promise<void> {
    if (seq <= this.next) return;
    const turn = withResolvers();
    this.waiting.set(seq, turn);
    await turn.promise;
  }
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

function withResolvers(): PromiseWithResolvers<void> {
  let resolve!: () => void;
  let reject!: (reason: unknown) => void;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
