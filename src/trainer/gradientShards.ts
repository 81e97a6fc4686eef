/**
 * Parts into which every batch is divided, each with a gradient of its own. The number is fixed, so that the sum over
 * parts has the same bits on any number of threads.
 */
export const gradientShards = 4;

/**
 * Divides rows among the shards: longest first, each to the shard with the fewest tokens, ties to the lower index.
 *
 * @returns per shard the indices of its rows, ascending.
 */
export function assignShards(lengths: readonly number[]): number[][] {
  const shards = Array.from({ length: gradientShards }, () => ({ rows: [] as number[], tokens: 0 }));
  const order = [...lengths.keys()].sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  for (const row of order) {
    const least = shards.reduce((best, shard) => (shard.tokens < best.tokens ? shard : best));
    least.rows.push(row);
    least.tokens += lengths[row]!;
  }
  return shards.map(({ rows }) => rows.sort((a, b) => a - b));
}
