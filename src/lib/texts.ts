/** Puts values in the place of `{0}`, `{1}` and so on. */
export const fill = (template: string, ...values: (string | number)[]): string =>
  template.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ''));

/** Percentage points of a difference of shares, signed: `+8.6`, `−3.1`, `0.0`. */
export function pointsText(difference: number, digits = 1): string {
  const text = (Math.abs(difference) * 100).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${difference > 0 ? '+' : '\u2212'}${text}`;
}
