/** A unit of sizes, as people read them: 1 kB is 1,000 bytes. */
export interface ByteUnit {
  readonly name: 'bytes' | 'kB' | 'MB';
  readonly bytes: number;
  /** Decimals that are worth showing. */
  readonly digits: number;
}

/** The unit in which so many bytes are told. */
export function byteUnit(bytes: number): ByteUnit {
  if (bytes < 1_000) return { name: 'bytes', bytes: 1, digits: 0 };
  return bytes < 1_000_000 ? { name: 'kB', bytes: 1_000, digits: 1 } : { name: 'MB', bytes: 1_000_000, digits: 1 };
}
