export { fill, pointsText } from '../lib/texts';

const thin = '\u202f';

/** `23.6 %` of a share in 0..1; a dash where there is none. */
export const percentText = (share: number | undefined, digits = 1): string =>
  share === undefined ? '—' : `${(share * 100).toFixed(digits)}${thin}%`;

/** `1,874`. */
export const countText = (value: number): string => Math.round(value).toLocaleString('en-US');

/** `1.69`; a dash where there is none. */
export const meanText = (value: number | undefined): string => (value === undefined ? '—' : value.toFixed(2));
