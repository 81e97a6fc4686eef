/** Longest unit, and fewest tokens, of what is taken for repetition. */
const [longestUnit, fewestTokens] = [16, 48];

/** True where a turn ends in the same few tokens again and again. @param tokens as sampled. */
export function endsInRepetition(tokens: readonly number[]): boolean {
  if (tokens.length < fewestTokens + longestUnit) return false;
  const from = tokens.length - fewestTokens;
  const repeats = (unit: number) => tokens.slice(from).every((token, i) => token === tokens[from + i - unit]);
  return Array.from({ length: longestUnit }, (_, i) => i + 1).some(repeats);
}
