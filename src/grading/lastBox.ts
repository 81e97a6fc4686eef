const opening = '\\boxed{';

/**
 * Content of the last complete `\boxed{...}` of a text, braces balanced, or undefined. An escaped brace counts as none.
 * A box that does not close is passed over. Of nested boxes, the outer one is meant.
 */
export function lastBox(text: string): string | undefined {
  let last: string | undefined;
  const closing = closingBraces(text);
  for (let at = text.indexOf(opening); at >= 0; ) {
    const from = at + opening.length;
    const to = closing.get(from - 1);
    if (to !== undefined) last = text.slice(from, to);
    at = text.indexOf(opening, to ?? from);
  }
  return last;
}

/** Where each `{` that closes is closed, in one pass. */
function closingBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '\\') i += 1;
    else if (character === '{') open.push(i);
    else if (character === '}') {
      const from = open.pop();
      if (from !== undefined) pairs.set(from, i);
    }
  }
  return pairs;
}
