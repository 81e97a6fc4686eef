/**
 * Ticks of an axis that holds both ends: multiples of 1, 2, 2.5 or 5 by a power of ten, about so many.
 *
 * @returns ascending; the first and the last are the ends of the axis.
 */
export function niceTicks(low: number, high: number, about: number): readonly number[] {
  const span = high > low ? high - low : 1;
  const rough = span / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough - 1e-12)!;
  const [first, last] = [Math.floor(low / step + 1e-9), Math.ceil((low + span) / step - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}
