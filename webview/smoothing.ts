/** Spacing that a weight is meant for: the whole range of x is taken for so many points. */
const viewport = 1000;

/**
 * Time-weighted exponential moving average with its start corrected: the weight of what was is raised to the distance
 * on x, so that gaps count as what they are.
 *
 * @param weight 0 is off, towards 1 is smoother.
 */
export function smooth(points: readonly (readonly [number, number])[], weight: number): [number, number][] {
  const first = points[0]?.[0] ?? 0;
  const range = (points.at(-1)?.[0] ?? 0) - first;
  if (weight <= 0 || range <= 0) return points.map(([x, y]) => [x, y]);
  const base = Math.min(Math.sqrt(weight), 0.999);
  let average = 0;
  let debias = 0;
  let before = first;
  return points.map(([x, y]) => {
    const kept = base ** (((x - before) / range) * viewport);
    average = average * kept + y;
    debias = debias * kept + 1;
    before = x;
    return [x, average / debias];
  });
}
