const minus = '\u2212';
const thin = '\u202f';

/** Puts values in the place of `{0}`, `{1}` and so on. */
export const fill = (template: string, ...values: (string | number)[]): string =>
  template.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ''));

/** `23.6 %` of a share in 0..1; a dash where there is none. */
export const percentText = (share: number | undefined, digits = 1): string =>
  share === undefined ? '—' : `${(share * 100).toFixed(digits)}${thin}%`;

/** Percentage points of a difference of shares, signed: `+8.6`, `−3.1`, `0.0`. */
export function pointsText(difference: number, digits = 1): string {
  const text = (Math.abs(difference) * 100).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${difference > 0 ? '+' : minus}${text}`;
}

/** `1,874`. */
export const countText = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `1.69`; a dash where there is none. */
export const meanText = (value: number | undefined): string => (value === undefined ? '—' : value.toFixed(2));
