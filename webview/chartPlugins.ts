import type { Chart, Plugin } from 'chart.js';
import type { Stretch } from './chartData';
import { alpha, type Theme } from './theme';

/** What is drawn over a chart, by the element it belongs to. */
export interface Overlay {
  theme: Theme;
  /** Position on x, in the units of the axis. */
  crosshair: number | undefined;
  /** Written beside the crosshair. */
  caption: string;
  checkpoints: readonly number[];
  /** A stretch of the x axis that is being chosen. */
  selection: Stretch | undefined;
  /** The newest point, while the run is live. */
  live: boolean;
  /** Index of the datasets that carry a label, a live point and a ring, with their labels. */
  leads: readonly { readonly index: number; readonly label: string | undefined; readonly tone?: string }[];
  stack: boolean;
}

/** Crosshair, checkpoints, end labels and the live point. */
export const overlayPlugin = (overlay: Overlay): Plugin<'line'> => ({
  id: 'overlay',
  beforeDatasetsDraw: (chart) => drawCheckpoints(chart, overlay),
  afterDatasetsDraw: (chart) => {
    drawSelection(chart, overlay);
    drawCrosshair(chart, overlay);
    drawLeads(chart, overlay);
  },
});

/** Marks closer than this, px, would run into one band; the newest is always there. */
const checkpointGap = 10;

function drawCheckpoints({ ctx, chartArea, scales }: Chart, { checkpoints, theme }: Overlay): void {
  const { x } = scales;
  if (!x) return;
  ctx.save();
  let previous = Number.POSITIVE_INFINITY;
  for (const step of checkpoints.toReversed()) {
    const at = x.getPixelForValue(step);
    if (at < chartArea.left || at > chartArea.right || previous - at < checkpointGap) continue;
    previous = at;
    ctx.strokeStyle = theme.highContrast ? theme.hairline : alpha(theme.foreground, 0.22);
    ctx.lineWidth = 1;
    ctx.setLineDash([1, 3]);
    ctx.beginPath();
    ctx.moveTo(at, chartArea.top);
    ctx.lineTo(at, chartArea.bottom);
    ctx.stroke();
    ctx.fillStyle = theme.secondary;
    diamond(ctx, at, chartArea.bottom, 3.5);
    ctx.fill();
  }
  ctx.restore();
}

function diamond(ctx: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y - size);
  ctx.lineTo(x + size, y);
  ctx.lineTo(x, y + size);
  ctx.lineTo(x - size, y);
  ctx.closePath();
}

function drawSelection({ ctx, chartArea, scales }: Chart, { selection, theme }: Overlay): void {
  if (!selection || !scales.x) return;
  const within = (at: number) => Math.min(chartArea.right, Math.max(chartArea.left, scales.x!.getPixelForValue(at)));
  const [left, right] = [within(selection.from), within(selection.to)];
  ctx.save();
  ctx.fillStyle = alpha(theme.foreground, 0.14);
  ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
  ctx.strokeStyle = theme.highContrast ? theme.hairline : alpha(theme.foreground, 0.5);
  ctx.strokeRect(left + 0.5, chartArea.top + 0.5, right - left - 1, chartArea.bottom - chartArea.top - 1);
  ctx.restore();
}

function drawCrosshair({ ctx, chartArea, scales }: Chart, { crosshair, caption, theme }: Overlay): void {
  if (crosshair === undefined || !scales.x) return;
  const at = Math.round(scales.x.getPixelForValue(crosshair)) + 0.5;
  if (at < chartArea.left - 1 || at > chartArea.right + 1) return;
  ctx.save();
  ctx.strokeStyle = alpha(theme.foreground, 0.75);
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(at, chartArea.top);
  ctx.lineTo(at, chartArea.bottom);
  ctx.stroke();
  ctx.font = `10px ${theme.font}`;
  ctx.textBaseline = 'bottom';
  const width = ctx.measureText(caption).width;
  const left = at + 4 + width > chartArea.right ? at - 4 - width : at + 4;
  ctx.fillStyle = alpha(theme.background, 0.8);
  ctx.fillRect(left - 2, chartArea.bottom - 14, width + 4, 13);
  ctx.fillStyle = theme.foreground;
  ctx.fillText(caption, left, chartArea.bottom - 2);
  ctx.restore();
}

function drawLeads(chart: Chart, overlay: Overlay): void {
  const { ctx, chartArea } = chart;
  const { theme, crosshair, live, leads, stack } = overlay;
  const labels: { text: string; y: number; tone: string | undefined }[] = [];
  ctx.save();
  leads.forEach(({ index, label, tone }, i) => {
    const { data } = chart.getDatasetMeta(index);
    const last = data.at(-1);
    const color = theme.series[i % theme.series.length] ?? theme.foreground;
    if (!last) return;
    if (live && !stack) {
      ctx.fillStyle = alpha(color, 0.3);
      circle(ctx, last.x, last.y, 6);
      ctx.fillStyle = color;
      circle(ctx, last.x, last.y, 3.5);
    }
    if (crosshair !== undefined && !stack) {
      const rows = chart.data.datasets[index]?.data as { x: number; y: number }[] | undefined;
      const found = rows?.findIndex(({ x }) => x === crosshair) ?? -1;
      const point = found < 0 ? undefined : data[found];
      if (point) ring(ctx, point.x, point.y, color, theme.background);
    }
    // Beside the plot, not at the end of the line: there the grid would run through it.
    if (label !== undefined) labels.push({ text: label, y: stack ? middle(chart, index) : last.y, tone });
  });
  ctx.font = `11px ${theme.font}`;
  ctx.textBaseline = 'middle';
  // Bands from below, so that those of no height stand in the order of the others.
  if (stack) labels.reverse();
  for (const { text, y, tone } of apart(labels, chartArea.top, chartArea.bottom)) {
    const left = chartArea.right + 10;
    if (tone !== undefined) {
      ctx.fillStyle = tone;
      ctx.fillRect(left, y - 4, 8, 8);
    }
    ctx.fillStyle = theme.foreground;
    const from = tone === undefined ? left : left + 14;
    // Condensed where there is no room for it.
    ctx.fillText(text, from, y, Math.max(1, chart.width - from));
  }
  ctx.restore();
}

function circle(ctx: CanvasRenderingContext2D, x: number, y: number, radius: number): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, Math.PI * 2);
  ctx.fill();
}

function ring(ctx: CanvasRenderingContext2D, x: number, y: number, color: string, inside: string): void {
  ctx.fillStyle = inside;
  circle(ctx, x, y, 3.5);
  ctx.strokeStyle = color;
  ctx.lineWidth = 1.5;
  ctx.stroke();
}

/** Height at which the label of a band stands: the middle of its last column. */
function middle(chart: Chart, index: number): number {
  const top = chart.getDatasetMeta(index).data.at(-1)?.y ?? 0;
  const below = index === 0 ? chart.chartArea.bottom : (chart.getDatasetMeta(index - 1).data.at(-1)?.y ?? top);
  return (top + below) / 2;
}

/** Moves labels until none covers another. */
function apart<T extends { y: number }>(labels: T[], top: number, bottom: number): T[] {
  const height = 12;
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  let free = top;
  for (const label of sorted) {
    label.y = Math.max(label.y, free);
    free = label.y + height;
  }
  let limit = bottom + height / 2;
  for (const label of sorted.reverse()) {
    label.y = Math.min(label.y, limit);
    limit = label.y - height;
  }
  return sorted;
}
