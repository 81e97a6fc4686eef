import type { RunStore } from '../journal/runStore';
import { DisposableStore } from '../lib/lifecycle';
import type { RunHead, ToDashboard } from '../schema/messages';
import type { RunState } from '../schema/runState';

/** A panel is sent at most ten messages a second. */
const pauseMilliseconds = 100;
/** Points of one message: a long run comes in pieces, so that none of them holds up the editor. */
const pointsPerMessage = 300;

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
  private sent: { readonly number: number; readonly attempt: number; readonly points: number } | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: Options) {
    super();
    this.options = options;
    this.add(options.store.onDidChange((id) => id === options.runId && this.schedule()));
    this.add({ dispose: () => clearTimeout(this.timer) });
  }

  /** Begins anew: what the panel has is forgotten. */
  snapshot(): void {
    this.sent = undefined;
    this.send();
  }

  /** Sends what changed, soon. */
  schedule(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.send();
    }, pauseMilliseconds);
  }

  private send(): void {
    const { store, runId, send, head, smoothing, visible } = this.options;
    if (!visible()) return;
    const run = store.get(runId);
    if (!run) {
      send({ type: 'gone' });
      return;
    }
    const { sent } = this;
    // A resumed run lost points, so what the panel has no longer leads up to what is new.
    const follows = sent?.attempt === run.attempt && run.points.length >= sent.points;
    const from = follows ? sent.points : 0;
    const points = run.points.slice(from, from + pointsPerMessage);
    const number = (sent?.number ?? 0) + 1;
    if (follows) send({ type: 'append', from: sent.number, seq: number, run: head(run), points });
    else send({ type: 'snapshot', seq: number, run: head(run), points, smoothing: smoothing() });
    this.sent = { number, attempt: run.attempt, points: from + points.length };
    if (this.sent.points < run.points.length) this.schedule();
  }
}
