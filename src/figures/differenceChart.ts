import type { ComparisonModel } from '../schema/comparison';
import { niceTicks } from './axis';
import { markedLabel } from './marks';
import { pointsText } from './numbers';
import type { Palette } from './palette';
import { fitted, labelRoom, type Scene, type Shape, segment } from './scene';

interface Look {
  readonly width: number;
  /** At least; many rows take more. */
  readonly height: number;
  readonly palette: Palette;
}

const [right, top, bottom] = [46, 4, 22];
/** Pixels of a row, so that labels do not touch. */
const differencePitch = 17;

/** Paired differences from the baseline with their intervals, percentage points, about a line at zero. */
export function differenceChart({ rows }: ComparisonModel, { width, height: least, palette }: Look): Scene {
  const compared = rows.flatMap((row) => (row.paired ? [{ label: markedLabel(row), paired: row.paired }] : []));
  const height = Math.max(least, compared.length * differencePitch + top + bottom);
  const labels = compared.map(({ label }) => label);
  const left = labelRoom(labels, 11, 72, width * 0.34);
  const ends = compared.flatMap(({ paired: { low, high } }) => [low * 100, high * 100]);
  const ticks = niceTicks(Math.min(0, ...ends), Math.max(0, ...ends), width - left < 260 ? 2 : 4);
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
