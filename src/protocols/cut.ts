import type { Tokenizer } from '../rl/ports';

/** At most `limit` tokens of `text`, cut between characters. */
export function cut(tokenizer: Tokenizer, text: string, limit: number): number[] {
  const tokens = tokenizer.encode(text);
  if (tokens.length <= limit) return tokens;
  // A token may be a part of a character: step back to where text alone is left. A broken character decodes to U+FFFD,
  // which the output may hold too, but that takes more tokens than the part did.
  for (let length = limit; length > 0; length--) {
    const kept = tokens.slice(0, length);
    const decoded = tokenizer.decode(kept);
    if (text.startsWith(decoded) && tokenizer.encode(decoded).length <= length) return kept;
  }
  return [];
}
