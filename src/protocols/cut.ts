import type { Tokenizer } from '../rl/ports';

/** Which part of a text stays, and what stands where the rest was. */
export interface CutRule {
  readonly keep: 'headAndTail' | 'head' | 'tail';
  readonly marker: string;
}

/**
 * The parts of a text that stay: half of what there is room for at each end, or all of it at one. Their own marker joins
 * them, in the middle or at the end that was cut.
 */
function joined<T>({ keep }: CutRule, room: number, part: (from: 'start' | 'end', room: number) => T, marker: T): T[] {
  if (keep === 'head') return [part('start', room), marker];
  if (keep === 'tail') return [marker, part('end', room)];
  const half = Math.floor(room / 2);
  return [part('start', half), marker, part('end', half)];
}

/**
 * At most `limit` characters (Unicode code points) of `text`, and the marker, in which `{count}` is how many are left out.
 * Of `headAndTail` each half has ⌊limit / 2⌋.
 */
export function cutCharacters(text: string, limit: number, rule: CutRule): string {
  if (text.length <= limit) return text;
  const characters = Array.from(text);
  if (characters.length <= limit) return text;
  const kept = rule.keep === 'headAndTail' ? 2 * Math.floor(limit / 2) : limit;
  const marker = rule.marker.replaceAll('{count}', String(characters.length - kept));
  const part = (from: 'start' | 'end', room: number) =>
    (from === 'start' ? characters.slice(0, room) : characters.slice(-room)).join('');
  return joined(rule, limit, part, marker).join('');
}

/**
 * At most `limit` tokens of `text`, cut between characters.
 *
 * @param rule without one the first tokens stay, and nothing marks the cut. The marker is part of the limit; where it
 * leaves no room it is left out.
 */
export function cut(tokenizer: Tokenizer, text: string, limit: number, rule?: CutRule): number[] {
  const tokens = tokenizer.encode(text);
  if (tokens.length <= limit) return tokens;
  const part = (from: 'start' | 'end', room: number) => whole(tokenizer, text, tokens, from, room);
  if (!rule) return part('start', limit);
  const marker = tokenizer.encode(rule.marker);
  const room = limit - marker.length;
  return room > 0 ? joined(rule, room, part, marker).flat() : joined(rule, limit, part, []).flat();
}

/** At most `room` tokens at one end of a text that has more, cut between characters. */
function whole(
  tokenizer: Tokenizer,
  text: string,
  tokens: readonly number[],
  from: 'start' | 'end',
  room: number,
): number[] {
  // A token may be a part of a character: step back to where text alone is left. A broken character decodes to U+FFFD,
  // which the output may hold too, but that takes more tokens than the part did.
  for (let length = room; length > 0; length--) {
    const kept = from === 'start' ? tokens.slice(0, length) : tokens.slice(-length);
    const decoded = tokenizer.decode(kept);
    const isPart = from === 'start' ? text.startsWith(decoded) : text.endsWith(decoded);
    if (isPart && tokenizer.encode(decoded).length <= length) return kept;
  }
  return [];
}
