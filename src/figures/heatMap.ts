import type { ComparedRow, ComparisonModel } from '../schema/comparison';
import { inkOn, type Palette, tone } from './palette';
import { fitted, type Scene, type Shape } from './scene';

/** Problems that a picture holds; a table holds all. */
export const mostProblems = 600;

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

const [labels, pitch, head, gap] = [74, 19, 16, 8];

/** Correct samples by problem and evaluation. @param width pixels; the height follows. */
export function heatMap({ rows, problems }: ComparisonModel, width: number, palette: Palette): Scene {
  const shown = problems.slice(0, mostProblems);
  const blocks = heatBlocks(shown.length, Math.floor((width - labels) / 22));
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
    for (const { label, counts } of rows) {
      shapes.push(text(fitted(label, 10, labels - 6), 0, y + 13, palette.foreground));
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
