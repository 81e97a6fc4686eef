import { type Disposable, Emitter } from '../lib/lifecycle';
import type { Silence } from '../lib/silence';

/** A lost connection that comes back sooner is not told of. */
const silentMilliseconds = 3000;

/** Tells when a service has not answered for some seconds, and when it does again. */
export class Reach implements Disposable {
  readonly url: string;
  private readonly changes = new Emitter<Silence | undefined>();
  /** With undefined when it answers again. */
  readonly onDidChange = this.changes.event;
  private silence: Silence | undefined;
  private timer: NodeJS.Timeout | undefined;
  private told = false;

  constructor(url: string) {
    this.url = url;
  }

  /** @param since when it was asked, milliseconds since 1970. */
  lost(reason: string, since: number): void {
    if (this.silence) return;
    const silence = { url: this.url, since, reason };
    this.silence = silence;
    this.timer = setTimeout(() => {
      this.told = true;
      this.changes.fire(silence);
    }, silentMilliseconds);
    this.timer.unref();
  }

  answered(): void {
    if (!this.silence) return;
    clearTimeout(this.timer);
    this.silence = undefined;
    if (this.told) this.changes.fire(undefined);
    this.told = false;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changes.dispose();
  }
}
