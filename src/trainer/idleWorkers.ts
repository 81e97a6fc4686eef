import type { ComputeWorker } from './computeWorker';
import type { ThreadCall } from './threadMessages';

/** Gives training work to whichever thread is free, one piece at a time each. */
export class IdleWorkers {
  private readonly idle: ComputeWorker[];
  private readonly waiting: ((worker: ComputeWorker) => void)[] = [];

  constructor(workers: readonly ComputeWorker[]) {
    this.idle = [...workers];
  }

  async run<T>(call: ThreadCall): Promise<T> {
    const worker = this.idle.shift() ?? (await new Promise<ComputeWorker>((resolve) => this.waiting.push(resolve)));
    try {
      return await worker.call<T>(call);
    } finally {
      const next = this.waiting.shift();
      if (next) next(worker);
      else this.idle.push(worker);
    }
  }
}
