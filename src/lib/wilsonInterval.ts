/** Wilson score interval of a share, 95 %. @param n observations. */
export function wilson(share: number, n: number): { low: number; high: number } {
  if (n <= 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const scale = 1 + (z * z) / n;
  const centre = (share + (z * z) / (2 * n)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))) / scale;
  return { low: Math.max(0, centre - half), high: Math.min(1, centre + half) };
}
