import { moneyText } from '../lib/texts';

export { fill, pointsText } from '../lib/texts';

const thin = '\u202f';

/** What is not known, or not to be told. */
export const noValue = '–';

/** `23.6 %` of a share in 0..1; a dash where there is none. */
export const percentText = (share: number | undefined, digits = 1): string =>
  share === undefined ? noValue : `${(share * 100).toFixed(digits)}${thin}%`;

/** `1,874`. */
export const countText = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `1.69`; a dash where there is none. */
export const meanText = (value: number | undefined): string => (value === undefined ? noValue : value.toFixed(2));

/** `912`, `96.2k`, `1.20M`. */
export function compactText(value: number): string {
  if (value < 1000) return countText(value);
  const [scaled, unit] = value < 999_500 ? [value / 1e3, 'k'] : [value / 1e6, 'M'];
  return `${Number(scaled.toPrecision(3)).toFixed(scaled < 10 ? 2 : scaled < 100 ? 1 : 0)}${unit}`;
}

/** `4.16 CNY`. */
export const priceText = ({ amount, currency }: { readonly amount: number; readonly currency: string }): string =>
  `${moneyText(amount)} ${currency}`;
