import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { RunHead, ToDashboard } from '../schema/messages';
import type { RunState } from '../schema/runState';

/** A panel is sent at most ten messages a second. */
const pauseMilliseconds = 100;

interface Options {
  readonly runId: string;
  readonly store: RunStore;
  readonly smoothing: () => number;
  readonly visible: () => boolean;
  head(run: RunState): RunHead;
  send(message: ToDashboard): void;
}

/**
 * Keeps one panel level with one run: a snapshot when it shows, then only what is new. A hidden panel is sent nothing.
 */
export class DashboardFeed extends DisposableStore {
  private readonly options: Options;
  private sent: { seq: number; attempt: number; last: number } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    super();
    this.options = options;
    this.add(options.store.onDidChange((id) => id === options.runId && this.schedule()));
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  snapshot(): void {
    const { store, runId, send, head, smoothing, visible } = this.options;
    if (!visible()) return;
    const run = store.get(runId);
    if (!run) {
      send({ type: 'gone' });
      return;
    }
    this.sent = { seq: run.seq, attempt: run.attempt, last: run.points.length };
    send({ type: 'snapshot', seq: run.seq, run: head(run), points: run.points, smoothing: smoothing() });
  }

  /** Sends what changed, soon. */
  schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.append();
    }, pauseMilliseconds);
  }

  private append(): void {
    const { store, runId, send, head, visible } = this.options;
    if (!visible()) return;
    const run = store.get(runId);
    const { sent } = this;
    // A resumed run lost points, so what the panel has no longer leads up to what is new.
    if (!run || !sent || run.attempt !== sent.attempt || run.points.length < sent.last) {
      this.snapshot();
      return;
    }
    this.sent = { seq: run.seq, attempt: run.attempt, last: run.points.length };
    send({ type: 'append', from: sent.seq, seq: run.seq, run: head(run), points: run.points.slice(sent.last) });
  }
}
