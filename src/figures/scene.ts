/** A point, pixels from the left and from the top. */
type Point = readonly [x: number, y: number];

/** What a figure is made of: the page draws it as SVG elements or on a canvas, files hold it as SVG. */
export type Shape =
  | {
      readonly kind: 'rect';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly fill?: string;
      readonly stroke?: string;
      readonly strokeWidth?: number;
      readonly dash?: string;
    }
  | {
      readonly kind: 'line';
      readonly points: readonly Point[];
      readonly stroke: string;
      readonly strokeWidth: number;
      /** Lengths of dashes and gaps, pixels. */
      readonly dash?: string;
    }
  | { readonly kind: 'polygon'; readonly points: readonly Point[]; readonly fill: string }
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly radius: number; readonly fill: string }
  | {
      readonly kind: 'text';
      /** Of the anchor; `y` is that of the base line. */
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly size: number;
      readonly fill: string;
      readonly anchor?: 'middle' | 'end';
      readonly weight?: number;
      /** Degrees, clockwise about the anchor. */
      readonly turn?: number;
      /** Colour of a rim that keeps the text readable over lines. */
      readonly rim?: string;
    };

/** A figure of so many pixels. */
export interface Scene {
  readonly width: number;
  readonly height: number;
  readonly font: string;
  readonly shapes: readonly Shape[];
}

export const diamond = (x: number, y: number, size: number, fill: string): Shape => ({
  kind: 'polygon',
  points: [
    [x, y - size],
    [x + size, y],
    [x, y + size],
    [x - size, y],
  ],
  fill,
});

export const segment = (from: Point, to: Point, stroke: string, strokeWidth = 1, dash?: string): Shape => ({
  kind: 'line',
  points: [from, to],
  stroke,
  strokeWidth,
  ...(dash && { dash }),
});

/** Width of a text is not known outside a browser: so much of its size a letter takes on average. */
const letterWidth = 0.56;
export const textWidth = (text: string, size: number): number =>
  [...text].reduce((sum, letter) => sum + (letter > '\u2e7f' ? 1 : letterWidth) * size, 0);

/** As much of a text as fits: begin and end, for names differ in their ends. */
export function fitted(text: string, size: number, width: number): string {
  if (textWidth(text, size) <= width) return text;
  const letters = [...text];
  const cut = (kept: number) =>
    `${letters.slice(0, Math.ceil(kept / 2)).join('')}…${letters.slice(letters.length - Math.floor(kept / 2)).join('')}`;
  let kept = letters.length - 1;
  while (kept > 1 && textWidth(cut(kept), size) > width) kept--;
  return cut(kept);
}

/** Room for the longest of some labels and what is beside them. @param most of it. */
export const labelRoom = (labels: readonly string[], size: number, least: number, most: number): number =>
  Math.min(Math.max(least, ...labels.map((label) => Math.ceil(textWidth(label, size)) + 10)), Math.max(least, most));

/** The shapes of a part, moved. */
export const moved = (shapes: readonly Shape[], dx: number, dy: number): Shape[] =>
  shapes.map((shape) =>
    'points' in shape
      ? { ...shape, points: shape.points.map(([x, y]): Point => [x + dx, y + dy]) }
      : { ...shape, x: shape.x + dx, y: shape.y + dy },
  );

/** Pixels, of which a half lies outside the letters. */
export const rimWidth = 4;

/** Name and attributes of the SVG element of a shape, numbers to a hundredth of a pixel. */
export function svgElement(shape: Shape): { readonly tag: string; readonly attributes: Record<string, string> } {
  const attributes: Record<string, string> = {};
  const set = (name: string, value: string | number | undefined) => {
    if (value !== undefined) attributes[name] = typeof value === 'number' ? plain(value) : value;
  };
  const outline = ({ stroke, strokeWidth, dash }: { stroke?: string; strokeWidth?: number; dash?: string }) => {
    set('stroke', stroke);
    set('stroke-width', strokeWidth);
    set('stroke-dasharray', dash);
  };
  switch (shape.kind) {
    case 'rect':
      for (const name of ['x', 'y', 'width', 'height'] as const) set(name, shape[name]);
      set('fill', shape.fill ?? 'none');
      outline(shape);
      return { tag: 'rect', attributes };
    case 'line':
      set('points', pointList(shape.points));
      set('fill', 'none');
      outline(shape);
      return { tag: 'polyline', attributes };
    case 'polygon':
      set('points', pointList(shape.points));
      set('fill', shape.fill);
      return { tag: 'polygon', attributes };
    case 'circle':
      set('cx', shape.x);
      set('cy', shape.y);
      set('r', shape.radius);
      set('fill', shape.fill);
      return { tag: 'circle', attributes };
    case 'text':
      set('x', shape.x);
      set('y', shape.y);
      set('font-size', shape.size);
      set('fill', shape.fill);
      set('text-anchor', shape.anchor);
      set('font-weight', shape.weight);
      if (shape.turn) set('transform', `rotate(${plain(shape.turn)} ${plain(shape.x)} ${plain(shape.y)})`);
      if (shape.rim) {
        set('stroke', shape.rim);
        set('stroke-width', rimWidth);
        set('stroke-linejoin', 'round');
        set('paint-order', 'stroke');
      }
      return { tag: 'text', attributes };
  }
}

const pointList = (points: readonly Point[]) => points.map(([x, y]) => `${plain(x)},${plain(y)}`).join(' ');
const plain = (value: number): string => String(Math.round(value * 100) / 100);

/** A figure as an SVG file. @param title is read out in its place. */
export function toSvg({ width, height, font, shapes }: Scene, title: string): string {
  const rows = shapes.map((shape) => {
    const { tag, attributes } = svgElement(shape);
    const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
    return `<${tag}${written.join('')}${shape.kind === 'text' ? `>${escaped(shape.text)}</${tag}>` : '/>'}`;
  });
  const size = `width="${plain(width)}" height="${plain(height)}" viewBox="0 0 ${plain(width)} ${plain(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escaped(font)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Control characters are no XML. */
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (sign) => entities[sign]!).replaceAll(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '\ufffd');
