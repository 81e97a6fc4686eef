/** Items worked on between two breaths: a few milliseconds of work. */
export const stretch = 128;

/** Lets what waits on this thread run: an editor shares it, and long work is done in stretches. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Keeps the items that pass, in order, without holding the thread for long. */
export async function filterInStretches<T>(items: readonly T[], passes: (item: T) => boolean): Promise<T[]> {
  const kept: T[] = [];
  for (let start = 0; start < items.length; start += stretch) {
    kept.push(...items.slice(start, start + stretch).filter(passes));
    await breathe();
  }
  return kept;
}
