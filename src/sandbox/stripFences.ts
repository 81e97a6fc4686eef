const fenced = /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1\s*$/;

/** Code without the byte order mark and the one Markdown fence that may surround all of it. */
export function stripFences(code: string): string {
  const text = code.startsWith('\ufeff') ? code.slice(1) : code;
  return fenced.exec(text)?.[2] ?? text;
}
