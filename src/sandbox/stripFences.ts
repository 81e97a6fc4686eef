/** Code without the byte order mark and the Markdown fence that may surround it; a fence may lack its end. */
export function stripFences(code: string): string {
  const text = code.startsWith('\ufeff') ? code.slice(1) : code;
  const lines = text.trim().split('\n');
  const fence = /^(`{3,}|~{3,})[^`]*$/.exec(lines[0] ?? '')?.[1];
  if (fence === undefined) return text;
  return lines.slice(1, lines.at(-1)?.trim() === fence ? -1 : undefined).join('\n');
}
