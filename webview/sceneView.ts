import type { Palette } from '../src/figures/palette';
import { rimWidth, type Scene, type Shape, svgElement } from '../src/figures/scene';
import { readTheme } from './theme';

/** The colours of the theme, as a figure takes them. */
export function themePalette(): Palette {
  const { series, highContrast: outlined, ...theme } = readTheme();
  return { ...theme, correct: series[0]!, incorrect: series[1]!, outlined };
}

const namespace = 'http://www.w3.org/2000/svg';

/** A figure as an SVG element. @param sentence is heard in its place; without one it is silent. */
export function sceneElement({ width, height, font, shapes }: Scene, sentence?: string): SVGSVGElement {
  const svg = document.createElementNS(namespace, 'svg');
  const set = (element: Element, attributes: Readonly<Record<string, string | number>>) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  };
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': font });
  set(svg, sentence === undefined ? { 'aria-hidden': 'true' } : { role: 'img', 'aria-label': sentence });
  for (const shape of shapes) {
    const { tag, attributes } = svgElement(shape);
    const element = svg.appendChild(document.createElementNS(namespace, tag));
    set(element, attributes);
    if (shape.kind === 'text') element.textContent = shape.text;
  }
  return svg;
}

/** A figure as a PNG, base64. @param scale pixels of the picture by one of the figure. */
export function scenePng({ width, height, font, shapes }: Scene, scale = 2): string {
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * scale);
  canvas.height = Math.ceil(height * scale);
  const context = canvas.getContext('2d')!;
  context.scale(scale, scale);
  for (const shape of shapes) paint(context, shape, font);
  return canvas.toDataURL('image/png').replace(/^[^,]*,/, '');
}

function paint(context: CanvasRenderingContext2D, shape: Shape, font: string): void {
  if (shape.kind === 'text') {
    context.font = `${shape.weight ?? 400} ${shape.size}px ${font}`;
    context.textAlign = shape.anchor === 'middle' ? 'center' : (shape.anchor ?? 'left');
    context.save();
    context.translate(shape.x, shape.y);
    context.rotate(((shape.turn ?? 0) * Math.PI) / 180);
    if (shape.rim) {
      context.lineJoin = 'round';
      context.lineWidth = rimWidth;
      context.strokeStyle = shape.rim;
      context.strokeText(shape.text, 0, 0);
    }
    context.fillStyle = shape.fill;
    context.fillText(shape.text, 0, 0);
    context.restore();
    return;
  }
  context.beginPath();
  if (shape.kind === 'rect') context.rect(shape.x, shape.y, shape.width, shape.height);
  else if (shape.kind === 'circle') context.arc(shape.x, shape.y, shape.radius, 0, 2 * Math.PI);
  else for (const [x, y] of shape.points) context.lineTo(x, y);
  if (shape.kind === 'polygon') context.closePath();
  if ('fill' in shape && shape.fill !== undefined) {
    context.fillStyle = shape.fill;
    context.fill();
  }
  if ('stroke' in shape && shape.stroke !== undefined) {
    context.strokeStyle = shape.stroke;
    context.lineWidth = shape.strokeWidth ?? 1;
    context.setLineDash((shape.dash ?? '').split(' ').filter(Boolean).map(Number));
    context.stroke();
  }
}
