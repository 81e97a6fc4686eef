import type { Futures } from './futures';

/** Results that nobody asks for are still there by `retrieve_future` when they leave the log. */
const capacity = 4096;

/** The results of one sampler's requests in the order in which they came, read by one client from a cursor. */
export class CompletionLog {
  private readonly futures: Futures;
  private entries: { readonly id: string; readonly body: string }[] = [];
  /** Cursor of the first entry. */
  private start = 0;
  private wake: (() => void) | undefined;

  constructor(futures: Futures) {
    this.futures = futures;
  }

  add(id: string, body: string): void {
    this.entries.push({ id, body });
    if (this.entries.length > capacity) this.advance(this.start + 1);
    this.wake?.();
  }

  /**
   * Waits up to `holdMilliseconds` for results after `cursor`; those before it have arrived and are forgotten.
   *
   * @returns JSON.
   */
  async since(cursor: number, holdMilliseconds: number, signal: AbortSignal): Promise<string> {
    while (this.start < cursor && this.entries.length > 0) {
      this.futures.drop(this.entries[0]!.id);
      this.advance(this.start + 1);
    }
    if (this.entries.length === 0) await this.next(holdMilliseconds, signal);
    const completions = this.entries.map(({ id, body }) => {
      const state = body.startsWith('{"error"') ? 'failed' : 'finished';
      return `{"state":"${state}","request_id":"${id}","response":${body}}`;
    });
    return `{"completions":[${completions.join(',')}],"cursor":${this.start + this.entries.length}}`;
  }

  private advance(start: number): void {
    this.entries.splice(0, start - this.start);
    this.start = start;
  }

  private next(holdMilliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.wake = undefined;
        // Rows that end in the same pass of the model travel together.
        setImmediate(resolve);
      };
      const timer = setTimeout(leave, holdMilliseconds);
      signal.addEventListener('abort', leave, { once: true });
      // A client that polls anew has given its former poll up.
      this.wake?.();
      this.wake = leave;
    });
  }
}
