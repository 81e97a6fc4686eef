import type { ComparisonModel } from '../schema/comparison';
import { niceTicks } from './axis';
import { pointsText } from './numbers';
import type { Palette } from './palette';
import { fitted, type Scene, type Shape, segment } from './scene';

interface Look {
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
}

const [left, right, top, bottom] = [92, 46, 4, 22];

/** Paired differences from the baseline with their intervals, percentage points, about a line at zero. */
export function differenceChart({ rows }: ComparisonModel, { width, height, palette }: Look): Scene {
  const compared = rows.flatMap(({ label, paired }) => (paired ? [{ label, paired }] : []));
  const ends = compared.flatMap(({ paired: { low, high } }) => [low * 100, high * 100]);
  const ticks = niceTicks(Math.min(0, ...ends), Math.max(0, ...ends), 4);
  const [first, last] = [ticks[0]!, ticks.at(-1)!];
  const x = (points: number) => left + ((width - left - right) * (points - first)) / (last - first);
  const digits = ticks.some((tick) => !Number.isInteger(tick)) ? 1 : 0;
  const foot = height - bottom;
  const shapes: Shape[] = ticks.flatMap((tick): Shape[] => [
    segment([x(tick), top], [x(tick), foot], tick === 0 ? palette.foreground : palette.grid),
    {
      kind: 'text',
      text: pointsText(tick / 100, digits),
      x: x(tick),
      y: height - 6,
      size: 10,
      fill: palette.secondary,
      anchor: 'middle',
    },
  ]);
  const pitch = (foot - top) / Math.max(1, compared.length);
  compared.forEach(({ label, paired: { difference, low, high } }, index) => {
    const y = top + pitch * (index + 0.5);
    const [from, to] = [x(low * 100), x(high * 100)];
    shapes.push(
      { kind: 'text', text: fitted(label, 11, left - 8), x: 0, y: y + 4, size: 11, fill: palette.foreground },
      segment([from, y], [to, y], palette.correct, 2),
      segment([from, y - 5], [from, y + 5], palette.correct, 2),
      segment([to, y - 5], [to, y + 5], palette.correct, 2),
      { kind: 'circle', x: x(difference * 100), y, radius: 4, fill: palette.correct },
      {
        kind: 'text',
        text: pointsText(difference),
        x: width,
        y: y + 4,
        size: 11,
        fill: palette.foreground,
        anchor: 'end',
        weight: 600,
      },
    );
  });
  return { width, height, font: palette.font, shapes };
}
