import type { ComparedRow } from '../schema/comparison';
import { niceTicks } from './axis';
import type { Palette } from './palette';
import { type Scene, type Shape, segment } from './scene';

/** Ends and middle of the scale of the glyphs: shares from 0, so that every interval is on it. */
export function glyphTicks(rows: readonly ComparedRow[]): readonly number[] {
  const highest = rows.reduce((most, { average, interval }) => Math.max(most, interval?.high ?? average ?? 0), 0);
  const end = Math.min(1, niceTicks(0, Math.max(highest, 0.05), 4).at(-1)!);
  return [0, end / 2, end];
}

const [margin, height] = [6, 14];

/** The average of a row as a dot on its interval. @param end share at the right end. */
export function intervalGlyph({ average, interval }: ComparedRow, end: number, width: number, palette: Palette): Scene {
  const x = (share: number) => margin + ((width - 2 * margin) * share) / end;
  const middle = height / 2;
  const shapes: Shape[] = [segment([margin, middle], [width - margin, middle], palette.hairline)];
  if (interval) shapes.push(segment([x(interval.low), middle], [x(interval.high), middle], palette.correct, 2));
  if (average !== undefined) {
    shapes.push({ kind: 'circle', x: x(average), y: middle, radius: 3.5, fill: palette.correct });
  }
  return { width, height, font: palette.font, shapes };
}
