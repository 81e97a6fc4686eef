import { setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RetoolError } from '../lib/errors';
import type { Disposable } from '../lib/lifecycle';
import type { ThreadCall, ThreadReply, ThreadRequest, ThreadSetup } from './threadMessages';

interface Pending {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The main thread's side of one compute thread. When the thread dies, everything asked of it fails at once. */
export class ComputeWorker implements Disposable {
  private readonly worker: Worker;
  private readonly pending = new Map<number, Pending>();
  private lastId = 0;
  private ended: RetoolError | undefined;

  constructor(script: string, setup: ThreadSetup) {
    this.worker = new Worker(script, { workerData: setup });
    this.worker.on('message', (message: ThreadReply) => this.settle(message));
    this.worker.on('error', (error) => this.end(error));
    this.worker.on('messageerror', (error) => this.end(error));
    this.worker.on('exit', (code) => this.end(new Error(`exit code ${code}`)));
  }

  /** @param signal withdraws a sampling call. */
  call<T>(call: ThreadCall, signal?: AbortSignal): Promise<T> {
    if (this.ended) return Promise.reject(this.ended);
    signal?.throwIfAborted();
    this.lastId += 1;
    const id = this.lastId;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        this.pending.delete(id);
        this.send({ kind: 'abort', id });
        reject(signal!.reason);
      };
      const done = () => signal?.removeEventListener('abort', leave);
      this.pending.set(id, {
        resolve: (value) => {
          done();
          resolve(value as T);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      if (signal) {
        // One signal ends all requests of a run: hundreds of listeners are no leak.
        setMaxListeners(0, signal);
        signal.addEventListener('abort', leave, { once: true });
      }
      this.send({ kind: 'call', id, call });
    });
  }

  release(snapshot: string): void {
    this.send({ kind: 'release', snapshot });
  }

  dispose(): void {
    this.end(new RetoolError('cancelled', 'The local trainer was closed.'));
    void this.worker.terminate();
  }

  private send(request: ThreadRequest): void {
    if (!this.ended) this.worker.postMessage(request);
  }

  private settle(message: ThreadReply): void {
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (!pending) return;
    if ('value' in message) pending.resolve(message.value);
    else {
      const { code, message: text, hint } = message.failure;
      pending.reject(new RetoolError(code, text, hint === undefined ? {} : { hint }));
    }
  }

  private end(cause: unknown): void {
    this.ended ??=
      cause instanceof RetoolError
        ? cause
        : new RetoolError('service', 'A compute thread of the local trainer ended unexpectedly.', {
            hint: 'Resume the run: it goes on from its last checkpoint.',
            cause,
          });
    for (const { reject } of this.pending.values()) reject(this.ended);
    this.pending.clear();
  }
}
