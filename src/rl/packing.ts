import type { Datum } from './ports';

export interface MicroBatchLimits {
  readonly maxDatums: number;
  /** Rows times the longest row, tokens: what a service that pads has to hold. */
  readonly maxPaddedTokens: number;
}

/**
 * Divides the rows of one update into calls that a service can take, first fit by decreasing length.
 *
 * Coefficients already hold each row's weight in the update and gradients add up, so the split changes nothing but
 * rounding. A row longer than the limit gets a call of its own. Rows keep their order within a call.
 */
export function packMicroBatches<D extends Datum>(datums: readonly D[], limits: MicroBatchLimits): D[][] {
  const byLength = datums
    .map((datum, index) => ({ index, length: datum.tokens.length }))
    .sort((a, b) => b.length - a.length || a.index - b.index);
  const batches: { longest: number; rows: number[] }[] = [];
  for (const { index, length } of byLength) {
    const fits = batches.find(
      ({ longest, rows }) => rows.length < limits.maxDatums && (rows.length + 1) * longest <= limits.maxPaddedTokens,
    );
    if (fits) fits.rows.push(index);
    else batches.push({ longest: length, rows: [index] });
  }
  return batches.map(({ rows }) => rows.sort((a, b) => a - b).map((index) => datums[index]!));
}
