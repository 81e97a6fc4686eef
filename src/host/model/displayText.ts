/** VS Code shows only about 10,000 characters of a line. */
export const longestLine = 2000;

/**
 * Text of a model or of an interpreter as lines that an editor shows whole: control characters become visible, foreign
 * line ends become `\n`, long lines are wrapped.
 */
export function displayLines(text: string): string[] {
  return text
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(visible)
    .flatMap((line) => wrapped(line));
}

/** The same for something that must stay one line. */
export const oneLine = (text: string): string => visible(text.replaceAll('\n', '\u2424')).slice(0, longestLine);

function visible(line: string): string {
  return line
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .replaceAll(/[\u2028\u2029\u0085]/g, '\u2424')
    .replaceAll(/\p{Cc}/gu, (character: string) => {
      if (character === '\t') return character;
      const code = character.codePointAt(0)!;
      return code < 0x20 ? String.fromCodePoint(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
    })
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

function wrapped(line: string): string[] {
  if (line.length <= longestLine) return [line];
  const pieces: string[] = [];
  for (let start = 0; start < line.length; ) {
    let end = Math.min(start + longestLine, line.length);
    if (end < line.length && /[\ud800-\udbff]/.test(line[end - 1]!)) end -= 1;
    pieces.push(line.slice(start, end));
    start = end;
  }
  return pieces;
}
