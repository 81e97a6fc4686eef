const blocks = '▁▂▃▄▅▆▇█';

/** Means of up to `width` equal stretches of `values`, drawn as blocks between their least and their greatest. */
export function sparkline(values: readonly number[], width = 8): string {
  const columns = Math.min(width, values.length);
  const means = Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * values.length) / columns);
    const to = Math.floor(((column + 1) * values.length) / columns);
    return values.slice(from, to).reduce((sum, value) => sum + value, 0) / (to - from);
  });
  const low = Math.min(...means);
  const span = Math.max(...means) - low;
  return means.map((mean) => blocks[span > 0 ? Math.round(((mean - low) / span) * 7) : 3]).join('');
}
