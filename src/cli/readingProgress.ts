import type { Output } from './output';

/** Where there is no terminal, so many records get a line. */
const linesApart = 1 << 16;

/** Tells how far a data file has been read: a set of millions of records takes a minute. */
export const readingProgress =
  (output: Output) =>
  (field: string, records: number): void => {
    if (process.stdout.isTTY || (records > 0 && records % linesApart === 0)) {
      output.progress(`Reading ${field}: ${records.toLocaleString('en')} records`);
    }
  };
