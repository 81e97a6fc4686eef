/** Colours of a figure, as CSS: `#rrggbb`, `rgb(…)` or `color(srgb …)`. */
export interface Palette {
  readonly correct: string;
  readonly incorrect: string;
  readonly foreground: string;
  readonly secondary: string;
  readonly background: string;
  readonly hairline: string;
  readonly grid: string;
  readonly font: string;
  /** High contrast: fills become outlines. */
  readonly outlined: boolean;
}

/** For files: what is printed or pasted stands on white. */
export const paper: Palette = {
  correct: '#1A85FF',
  incorrect: '#A86500',
  foreground: '#1F1F1F',
  secondary: '#616161',
  background: '#FFFFFF',
  hairline: '#DCDCDC',
  grid: '#E5E5E5',
  font: 'Inter, "Segoe UI", system-ui, sans-serif',
  outlined: false,
};

type Rgb = readonly [number, number, number];

/** 0..255 each. */
function rgb(color: string): Rgb {
  const hex = /^#(..)(..)(..)/.exec(color);
  if (hex) return [hex[1], hex[2], hex[3]].map((digits) => Number.parseInt(digits!, 16)) as unknown as Rgb;
  const scale = color.startsWith('color(') ? 255 : 1;
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((number) => Number(number) * scale);
  return [red, green, blue];
}

/** `share` of `color` over the rest of `ground`. */
export function mix(color: string, ground: string, share: number): string {
  const [top, below] = [rgb(color), rgb(ground)];
  return `rgb(${top.map((part, i) => Math.round(part * share + below[i]! * (1 - share))).join(', ')})`;
}

/** Cell of a heat map for a share in 0..1: none has the colour of the ground. */
export const tone = (palette: Palette, share: number): string =>
  share <= 0 || palette.outlined
    ? palette.background
    : mix(palette.correct, palette.background, 0.16 + 0.84 * Math.min(1, share));

/** Black or white, whichever is read more easily on a colour (WCAG 2.2, relative luminance). */
export function inkOn(color: string): string {
  const [red, green, blue] = rgb(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#FFFFFF';
}
