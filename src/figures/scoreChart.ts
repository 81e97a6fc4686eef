import type { ComparisonModel } from '../schema/comparison';
import { markedLabel } from './marks';
import { percentText } from './numbers';
import { mix, type Palette } from './palette';
import { diamond, fitted, type Scene, type Shape, segment, textWidth } from './scene';

interface Look {
  readonly width: number;
  /** Of the plot and what is around it; labels that have to be turned take more. */
  readonly height: number;
  readonly palette: Palette;
  /** Writes the numbers over the bars and leaves the intervals out, as the reference's figure does. */
  readonly numbers?: boolean;
}

const [left, right, top, bottom] = [36, 8, 12, 22];
/** Pixels by which lines of text stand apart. */
const lineHeight = 12;
const turn = -45;
const mostTurned = 84;
/** Between the numbers of a group is its diamond. */
const numberShift = 3;
export const formatDash = '4 3';

/** Bars of average and pass by evaluation, the format rate as a line of diamonds. Shares in percent, from 0 to 100. */
export function scoreChart({ rows, baseline }: ComparisonModel, look: Look): Scene {
  const { width, palette, numbers } = look;
  const group = (width - left - right) / Math.max(1, rows.length);
  const axis = axisLabels(rows.map(markedLabel), group);
  const height = look.height + axis.height - bottom;
  const foot = height - axis.height;
  const y = (share: number) => top + (foot - top) * (1 - share);
  const bar = Math.min(numbers ? 34 : 26, group * 0.29);
  const shapes: Shape[] = [0, 0.25, 0.5, 0.75, 1].flatMap((share): Shape[] => [
    segment([left, y(share)], [width - right, y(share)], share === 0 ? palette.secondary : palette.grid),
    label(`${share * 100}%`, left - 6, y(share) + 3.5, palette.secondary, 'end'),
  ]);
  const line: [number, number][] = [];
  const marks: Shape[] = [];
  rows.forEach((row, index) => {
    const center = left + group * (index + 0.5);
    const [overAverage, overPass] = [center - bar / 2 - 1, center + bar / 2 + 1];
    shapes.push(...axis.at(index, center, foot, palette.foreground));
    if (row.average !== undefined) {
      shapes.push(averageBar(center - bar - 1, y(row.average), bar, y(0), palette, row.id === baseline));
      if (numbers) marks.push(number(row.average, overAverage - numberShift, y(row.average) - 5, bar, palette));
    }
    if (row.pass !== undefined) {
      shapes.push(passBar(center + 1, y(row.pass), bar, y(0), palette));
      if (numbers) marks.push(number(row.pass, overPass + numberShift, y(row.pass) - 5, bar, palette));
    }
    if (!numbers && row.interval) {
      marks.push(...whisker(overAverage, y(row.interval.low), y(row.interval.high), bar, palette.foreground));
    }
    if (row.format !== undefined) line.push([center, y(row.format)]);
  });
  const joined: Shape = { kind: 'line', points: line, stroke: palette.incorrect, strokeWidth: 1.75, dash: formatDash };
  const format = line.length > 1 ? [joined] : [];
  const size = Math.max(2.5, Math.min(5, group * 0.14));
  const points = line.map(([x, at]) => diamond(x, Math.min(at, foot - size), size, palette.incorrect));
  return { width, height, font: palette.font, shapes: [...shapes, ...format, ...marks, ...points] };
}

/** Labels below groups: across where they fit, else turned; where even turned ones would touch, each second or so. */
function axisLabels(labels: readonly string[], group: number) {
  const longest = Math.max(0, ...labels.map((text) => textWidth(text, 10)));
  if (longest <= group - 4 || labels.length <= 1) {
    return {
      height: bottom,
      at: (index: number, x: number, foot: number, color: string) => [
        label(fitted(labels[index]!, 10, group - 4), x, foot + bottom - 6, color, 'middle'),
      ],
    };
  }
  const each = Math.ceil(lineHeight / (group * Math.SQRT1_2));
  const room = Math.min(longest, mostTurned);
  return {
    height: Math.ceil(room * Math.SQRT1_2) + 16,
    at: (index: number, x: number, foot: number, color: string): Shape[] =>
      index % each === 0 ? [{ ...label(fitted(labels[index]!, 10, room), x + 4, foot + 12, color, 'end'), turn }] : [],
  };
}

/** Across over a bar that is as wide, else upright. */
function number(share: number, x: number, y: number, bar: number, palette: Palette): Shape {
  const text = percentText(share);
  if (bar >= 27) return { ...label(text, x, y, palette.foreground, 'middle', 9), rim: palette.background };
  return { kind: 'text', text, x: x + 3, y, size: 9, fill: palette.foreground, rim: palette.background, turn: -90 };
}

/** That of the baseline is paler: it is what the others are measured by. */
export function averageBar(x: number, y: number, width: number, foot: number, palette: Palette, pale = false): Shape {
  const size = { x, y, width, height: Math.max(0, foot - y) };
  if (palette.outlined) return { kind: 'rect', ...size, stroke: palette.correct, strokeWidth: size.height > 0 ? 3 : 0 };
  return { kind: 'rect', ...size, fill: pale ? mix(palette.correct, palette.background, 0.5) : palette.correct };
}

/** Nothing of it hangs below the axis. */
export function passBar(x: number, y: number, width: number, foot: number, palette: Palette): Shape {
  const height = Math.max(0, foot - y - 0.5);
  return {
    kind: 'rect',
    x: x + 0.5,
    y: Math.min(y + 0.5, foot),
    width: Math.max(0, width - 1),
    height,
    stroke: palette.correct,
    strokeWidth: height > 0 ? 1.25 : 0,
    ...(palette.outlined && { dash: '2 2' }),
  };
}

function whisker(x: number, low: number, high: number, bar: number, color: string): Shape[] {
  const half = Math.min(4, bar / 2);
  return [
    segment([x, low], [x, high], color, 1.25),
    segment([x - half, low], [x + half, low], color, 1.25),
    segment([x - half, high], [x + half, high], color, 1.25),
  ];
}

const label = (text: string, x: number, y: number, fill: string, anchor: 'middle' | 'end', size = 10) =>
  ({ kind: 'text', text, x, y, fill, anchor, size }) as const;
