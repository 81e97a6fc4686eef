const mask = 0xffffffffffffffffn;

/**
 * Derives an independent seed from a root seed and a path of names, by FNV-1a over the joined path and a splitmix64
 * finish. Equal paths give equal seeds; nothing else in the product is a source of randomness.
 *
 * @param path for example `['sample', step, problemId, branch, turn]`.
 * @returns an integer in [0, 2^53).
 */
export function deriveSeed(root: number, ...path: readonly (string | number)[]): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode([root, ...path].join('\u0000'))) {
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  }
  hash = ((hash ^ (hash >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  hash = ((hash ^ (hash >> 27n)) * 0x94d049bb133111ebn) & mask;
  return Number((hash ^ (hash >> 31n)) >> 11n);
}

/**
 * Mulberry32: a small generator of uniform numbers in [0, 1), used for shuffles and bootstraps.
 * `mulberry32(42)` begins 0.601104, 0.448291, 0.852466.
 */
export function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Fisher-Yates over a copy. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
