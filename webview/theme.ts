import type { Palette } from '../src/figures/palette';

export interface Theme extends Pick<Palette, 'foreground' | 'secondary' | 'background' | 'hairline' | 'grid' | 'font'> {
  /** In the order in which series take them. */
  readonly series: readonly string[];
  readonly highContrast: boolean;
}

/** How series differ besides their colour, in the order of `Theme.series`. */
export const seriesLooks = [
  { dash: [], marker: 'circle' },
  { dash: [5, 3], marker: 'triangle' },
  { dash: [1.5, 2.5], marker: 'rect' },
  { dash: [7, 2, 2, 2], marker: 'rectRot' },
  { dash: [2, 4], marker: 'crossRot' },
] as const;

/** Bands of a stack, from below: neighbours differ in hue; beyond five they are lighter. */
const bands = [0, 2, 3, 1, 4] as const;

/** The colour of a band. @param last what is left over. */
export function bandTone(theme: Theme, band: number, last: boolean): string {
  if (last) return alpha(theme.secondary, 0.8);
  const color = theme.series[bands[band % bands.length]!] ?? theme.foreground;
  return alpha(color, band < bands.length ? 0.8 : 0.4);
}

let probe: HTMLElement | undefined;

/** What a CSS colour is in the theme of the moment, as `rgb(…)`: a canvas knows no variables. */
function resolve(css: string): string {
  probe ??= document.body.appendChild(document.createElement('i'));
  probe.hidden = true;
  probe.style.color = css;
  return getComputedStyle(probe).color;
}

export function readTheme(): Theme {
  const { classList } = document.body;
  const highContrast = classList.contains('vscode-high-contrast') || classList.contains('vscode-high-contrast-light');
  const foreground = resolve('var(--vscode-foreground)');
  return {
    series: ['correct', 'incorrect', 'purple', 'green', 'yellow'].map((name) => resolve(`var(--retool-${name})`)),
    foreground,
    secondary: resolve('var(--retool-secondary)'),
    background: resolve('var(--vscode-editor-background)'),
    hairline: resolve('var(--retool-hairline)'),
    grid: highContrast ? alpha(resolve('var(--retool-hairline)'), 0.5) : alpha(foreground, 0.1),
    font: getComputedStyle(document.body).fontFamily,
    highContrast,
  };
}

/** Calls back when the theme changes: VS Code then rewrites the classes and variables of the page. */
export function onThemeChange(changed: () => void): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ['class', 'data-vscode-theme-id'] });
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['style'] });
}

/** @param color `rgb(…)` or `color(srgb …)`. */
export function alpha(color: string, opacity: number): string {
  const numbers = color.match(/[\d.]+/g)?.map(Number) ?? [];
  const scale = color.startsWith('color(') ? 255 : 1;
  const [red = 0, green = 0, blue = 0, own = 1] = numbers;
  return `rgba(${red * scale}, ${green * scale}, ${blue * scale}, ${own * opacity})`;
}
