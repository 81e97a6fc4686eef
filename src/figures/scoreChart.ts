import type { ComparisonModel } from '../schema/comparison';
import { percentText } from './numbers';
import { inkOn, mix, type Palette } from './palette';
import { diamond, fitted, type Scene, type Shape, segment } from './scene';

interface Look {
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  /** Writes the numbers at the bars and leaves the intervals out, as the reference's figure does. */
  readonly numbers?: boolean;
}

const [left, right, top, bottom] = [36, 8, 12, 22];
export const formatDash = '4 3';

/** Bars of average and pass by evaluation, the format rate as a line of diamonds. Shares in percent, from 0 to 100. */
export function scoreChart({ rows, baseline }: ComparisonModel, { width, height, palette, numbers }: Look): Scene {
  const plot = height - top - bottom;
  const y = (share: number) => top + plot * (1 - share);
  const group = (width - left - right) / Math.max(1, rows.length);
  const bar = Math.min(numbers ? 34 : 26, group * 0.29);
  const shapes: Shape[] = [0, 0.25, 0.5, 0.75, 1].flatMap((share): Shape[] => [
    segment([left, y(share)], [width - right, y(share)], share === 0 ? palette.secondary : palette.grid),
    label(`${share * 100}%`, left - 6, y(share) + 3.5, palette.secondary, 'end'),
  ]);
  const line: [number, number][] = [];
  const marks: Shape[] = [];
  rows.forEach((row, index) => {
    const center = left + group * (index + 0.5);
    shapes.push(label(fitted(row.label, 10, group - 4), center, height - 6, palette.foreground, 'middle'));
    if (row.average !== undefined) {
      shapes.push(averageBar(center - bar - 1, y(row.average), bar, y(0), palette, row.id === baseline));
    }
    if (row.pass !== undefined) shapes.push(passBar(center + 1, y(row.pass), bar, y(0), palette));
    if (numbers) {
      // The line of the format rate passes above an average: its number stands in the bar, the other above.
      const [inBar, over] = [center - bar / 2 - 1, center + bar / 2 + 1];
      if (row.average !== undefined) {
        marks.push(
          label(
            percentText(row.average),
            inBar,
            y(0) - 5,
            inkOn(averageFill(palette, row.id === baseline)),
            'middle',
            9,
          ),
        );
      }
      if (row.pass !== undefined) {
        marks.push(label(percentText(row.pass), over, y(row.pass) - 4, palette.foreground, 'middle', 9));
      }
    } else if (row.interval) {
      marks.push(...whisker(center - bar / 2 - 1, y(row.interval.low), y(row.interval.high), palette.foreground));
    }
    if (row.format !== undefined) line.push([center, y(row.format)]);
  });
  const joined: Shape = {
    kind: 'line',
    points: line,
    stroke: palette.incorrect,
    strokeWidth: 1.75,
    dash: formatDash,
  };
  const format = line.length > 1 ? [joined] : [];
  const points = line.map(([x, at]) => diamond(x, at, 5, palette.incorrect));
  return { width, height, font: palette.font, shapes: [...shapes, ...format, ...marks, ...points] };
}

/** That of the baseline is paler: it is what the others are measured by. */
export function averageBar(x: number, y: number, width: number, foot: number, palette: Palette, pale = false): Shape {
  const size = { x, y, width, height: Math.max(0, foot - y) };
  if (palette.outlined) return { kind: 'rect', ...size, stroke: palette.correct, strokeWidth: 3 };
  return { kind: 'rect', ...size, fill: averageFill(palette, pale) };
}

const averageFill = (palette: Palette, pale: boolean): string =>
  pale ? mix(palette.correct, palette.background, 0.5) : palette.correct;

export const passBar = (x: number, y: number, width: number, foot: number, palette: Palette): Shape => ({
  kind: 'rect',
  x: x + 0.5,
  y: y + 0.5,
  width: Math.max(0, width - 1),
  height: Math.max(0, foot - y - 0.5),
  stroke: palette.correct,
  strokeWidth: 1.25,
  ...(palette.outlined && { dash: '2 2' }),
});

const whisker = (x: number, low: number, high: number, color: string): Shape[] => [
  segment([x, low], [x, high], color, 1.25),
  segment([x - 4, low], [x + 4, low], color, 1.25),
  segment([x - 4, high], [x + 4, high], color, 1.25),
];

const label = (text: string, x: number, y: number, fill: string, anchor: 'middle' | 'end', size = 10): Shape => ({
  kind: 'text',
  text,
  x,
  y,
  fill,
  anchor,
  size,
});
