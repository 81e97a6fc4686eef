/**
 * Maps `items` with at most `limit` calls in flight, keeping order.
 *
 * The first rejection, or `signal`, starts no further item; calls in flight are awaited before it rejects, so nothing
 * outlives the promise.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  signal: AbortSignal,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  let failed: { error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) {
      if (failed || signal.aborted) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  if (failed) throw failed.error;
  signal.throwIfAborted();
  return results;
}

/** Lets `limit` calls through at a time, first come, first served. A waiter whose signal aborts leaves at once. */
export function gate(limit: number): <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T> {
  let free = limit;
  const waiting = new Set<() => void>();

  const enter = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(admit);
        reject(signal.reason);
      };
      const admit = () => {
        waiting.delete(admit);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(admit);
    });

  return async (signal, work) => {
    signal.throwIfAborted();
    if (free > 0) free -= 1;
    else await enter(signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next) next();
      else free += 1;
    }
  };
}
