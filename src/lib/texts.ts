/** Puts values in the place of `{0}`, `{1}` and so on. */
export const fill = (template: string, ...values: (string | number)[]): string =>
  template.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)] ?? ''));

/** A number for people: three decimals at most, but a small one keeps what it has of itself. */
export const numberText = (value: number, language: string): string =>
  value.toLocaleString(language, value !== 0 && Math.abs(value) < 1e-3 ? { maximumSignificantDigits: 3 } : {});

/**
 * An amount of money, at least 0: `4.16`; a small one keeps two digits that count, `0.00042`, for it is not 0.
 *
 * @param digits behind the point.
 */
export const moneyText = (amount: number, digits = 2): string =>
  amount.toFixed(amount >= 10 ** (1 - digits) || amount === 0 ? digits : 1 - Math.floor(Math.log10(amount)));

/** Percentage points of a difference of shares, signed: `+8.6`, `−3.1`, `0.0`. */
export function pointsText(difference: number, digits = 1): string {
  const text = (Math.abs(difference) * 100).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${difference > 0 ? '+' : '\u2212'}${text}`;
}
