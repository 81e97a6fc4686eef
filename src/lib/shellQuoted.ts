/** A word as one would type it in a shell: quoted only where it has to be. */
export const shellQuoted = (word: string): string =>
  /^[\p{L}\p{N}@%+=:,./_-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
