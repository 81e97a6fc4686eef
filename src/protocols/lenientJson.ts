/**
 * End of the JSON object that begins at `from`: the index behind its closing brace, or -1 where it has none. Braces and
 * markers inside strings do not count.
 */
export function objectEnd(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') {
      at = stringEnd(text, at);
      if (at < 0) return -1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Index of the quote that ends the string whose first quote is at `from`, or -1. */
function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return -1;
}

/** The value of a JSON text, or undefined; `repaired` when control characters stood bare in a string. */
export function decodeJson(text: string): { readonly value: unknown; readonly repaired: boolean } | undefined {
  try {
    return { value: JSON.parse(text) as unknown, repaired: false };
  } catch {
    try {
      return { value: JSON.parse(escapeControls(text)) as unknown, repaired: true };
    } catch {
      return undefined;
    }
  }
}

/** Bare control characters inside strings as escapes; those between values are white space and stay. */
function escapeControls(text: string): string {
  return text.replaceAll(/"(?:\\[\s\S]|[^"\\])*"/g, (string) =>
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON forbids.
    string.replaceAll(/[\u0000-\u001f]/g, (control) => JSON.stringify(control).slice(1, -1)),
  );
}
