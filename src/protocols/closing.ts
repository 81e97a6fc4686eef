/**
 * What is missing of the ids that close a turn: some services leave out what stopped them, others the part behind it.
 *
 * @returns `closing` without its longest beginning that `tokens` end with.
 */
export function missingClosing(tokens: readonly number[], closing: readonly number[]): number[] {
  for (let overlap = Math.min(tokens.length, closing.length); overlap > 0; overlap--) {
    if (closing.slice(0, overlap).every((id, i) => tokens[tokens.length - overlap + i] === id)) {
      return closing.slice(overlap);
    }
  }
  return [...closing];
}
