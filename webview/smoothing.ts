/** Most parts that the range of x is cut into; distances are counted in them. */
const viewport = 1000;

/**
 * Time-weighted exponential moving average with its start corrected: the weight of what was is raised to the distance
 * on x, so that gaps count as what they are. The average of W&B, but that the parts of a short run are its own steps:
 * there, a thousand would leave every curve as it was.
 *
 * @param weight 0 is off, towards 1 is smoother.
 */
export function smooth(points: readonly (readonly [number, number])[], weight: number): [number, number][] {
  const first = points[0]?.[0] ?? 0;
  const range = (points.at(-1)?.[0] ?? 0) - first;
  if (weight <= 0 || range <= 0) return points.map(([x, y]) => [x, y]);
  const parts = Math.min(viewport, points.length - 1);
  const base = Math.min(Math.sqrt(weight), 0.999);
  let average = 0;
  let debias = 0;
  let before = first;
  return points.map(([x, y]) => {
    const kept = base ** (((x - before) / range) * parts);
    average = average * kept + y;
    debias = debias * kept + 1;
    before = x;
    return [x, average / debias];
  });
}
