const pairs = 7;

/**
 * Measures two things in turn, so that a busy machine slows both.
 *
 * @returns the median of the ratios of the pairs, and the best of each side.
 */
export async function interleaved(ours: () => Promise<number>, theirs: () => Promise<number>) {
  const ratios: number[] = [];
  let [best, bestPeer] = [0, 0];
  for (let pair = 0; pair < pairs; pair++) {
    const [own, peer] = [await ours(), await theirs()];
    ratios.push(own / peer);
    best = Math.max(best, own);
    bestPeer = Math.max(bestPeer, peer);
  }
  ratios.sort((a, b) => a - b);
  return { ratio: ratios[(pairs - 1) / 2]!, best, bestPeer };
}

/** Processor seconds of this process, all threads, while `work` runs. */
export async function processorSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

export async function wallSeconds(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return (performance.now() - before) / 1000;
}
