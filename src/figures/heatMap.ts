import type { ComparedRow, ComparisonModel } from '../schema/comparison';
import { markedLabel } from './marks';
import { inkOn, type Palette, tone } from './palette';
import { fitted, labelRoom, type Scene, type Shape, textWidth } from './scene';

/** Problems that are drawn; a table holds all. */
export const mostProblems = 240;

/** The model with the problems that are drawn: all, or those in which its rows differ most, in the order that they had. */
export function drawnProblems(model: ComparisonModel): ComparisonModel {
  const { rows, problems } = model;
  if (problems.length <= mostProblems) return model;
  const spread = problems.map((_, at) => spreadOf(rows.map(({ counts }) => counts[at])));
  const kept = [...problems.keys()]
    .sort((a, b) => spread[b]! - spread[a]! || a - b)
    .slice(0, mostProblems)
    .sort((a, b) => a - b);
  return {
    ...model,
    problems: kept.map((at) => problems[at]!),
    rows: rows.map((row) => ({ ...row, counts: kept.map((at) => row.counts[at]) })),
  };
}

/** Variance of the shares of correct samples. */
function spreadOf(counts: ComparedRow['counts']): number {
  const shares = counts.flatMap((count) => (count ? [count.correct / count.samples] : []));
  const mean = shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  return shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / Math.max(1, shares.length);
}

/** Pixels of a column, so that the labels of problems stand apart. */
export const columnPitch = ({ problems }: ComparisonModel, least: number): number =>
  Math.max(least, ...problems.map(({ label }) => Math.min(48, Math.ceil(textWidth(label, 10)) + 5)));

/** Shares of the legend: no more shades than a cell can have. @param samples of a problem, where it is one number. */
export function legendShares(samples: number | undefined): readonly number[] {
  const steps = Math.min(samples ?? 5, 5);
  return Array.from({ length: steps + 1 }, (_, step) => step / steps);
}

/** Columns of each block of a heat map, as equal as can be. @param most columns that fit side by side. */
export function heatBlocks(problems: number, most: number): readonly { readonly from: number; readonly to: number }[] {
  const blocks = Math.max(1, Math.ceil(problems / Math.max(1, most)));
  const columns = Math.ceil(problems / blocks);
  return Array.from({ length: blocks }, (_, block) => ({
    from: block * columns,
    to: Math.min(problems, (block + 1) * columns),
  })).filter(({ from, to }) => from < to);
}

interface HeatCell {
  /** A dot where nothing is correct, a dash where the problem was not evaluated. */
  readonly text: string;
  readonly fill: string;
  readonly ink: string;
}

/** How a cell looks: the count is printed in each, one hue says how large a share of the samples it is. */
export function heatCell(count: ComparedRow['counts'][number], palette: Palette): HeatCell {
  const fill = tone(palette, count ? count.correct / count.samples : 0);
  const some = (count?.correct ?? 0) > 0;
  return {
    text: count ? (some ? String(count.correct) : '·') : '–',
    fill,
    ink: palette.outlined ? palette.foreground : some ? inkOn(fill) : palette.secondary,
  };
}

const [pitch, head, gap] = [19, 16, 8];

/** Correct samples by problem and evaluation. @param width pixels; the height follows. */
export function heatMap(model: ComparisonModel, width: number, palette: Palette): Scene {
  const drawn = drawnProblems(model);
  const { rows, problems: shown } = drawn;
  const labels = labelRoom(rows.map(markedLabel), 10, 74, width * 0.2);
  const blocks = heatBlocks(shown.length, Math.floor((width - labels) / columnPitch(drawn, 22)));
  const columns = blocks[0] ? blocks[0].to : 1;
  const cell = (width - labels) / columns;
  const shapes: Shape[] = [];
  let y = 0;
  for (const { from, to } of blocks) {
    for (let at = from; at < to; at++) {
      shapes.push(
        text(
          fitted(shown[at]!.label, 10, cell),
          labels + (at - from + 0.5) * cell,
          y + 11,
          palette.secondary,
          'middle',
        ),
      );
    }
    y += head;
    for (const row of rows) {
      const { counts } = row;
      shapes.push(text(fitted(markedLabel(row), 10, labels - 6), 0, y + 13, palette.foreground));
      for (let at = from; at < to; at++) {
        const { text: written, fill, ink } = heatCell(counts[at], palette);
        const x = labels + (at - from) * cell;
        const frame = { x: x + 0.5, y: y + 0.5, width: cell - 1, height: pitch - 1 };
        shapes.push({ kind: 'rect', ...frame, fill, stroke: palette.hairline, strokeWidth: 0.5 });
        shapes.push(text(written, x + cell / 2, y + 13, ink, 'middle'));
      }
      y += pitch;
    }
    y += gap;
  }
  return { width, height: Math.max(1, y - gap), font: palette.font, shapes };
}

const text = (written: string, x: number, y: number, fill: string, anchor?: 'middle'): Shape => ({
  kind: 'text',
  text: written,
  x,
  y,
  size: 10,
  fill,
  ...(anchor && { anchor }),
});
