/** A share 0..1 as a person reads it. */
export const percent = (value: number | undefined): string =>
  value === undefined ? '–' : `${(value * 100).toFixed(1)} %`;
