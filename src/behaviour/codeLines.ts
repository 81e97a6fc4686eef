import type { SyntaxTree } from './syntaxTree';

const lineEnd = /\r\n|\n|\r/;

export interface CodeLines {
  /** Blank ones inside count, line ends at the end do not. */
  readonly raw: number;
  /** Those that hold more than white space and comments, without either at their ends. */
  readonly stripped: readonly string[];
}

/** The lines of a piece of code. @param tree of it; without one, a line that begins with `#` is the only comment known. */
export function codeLines(code: string, tree: SyntaxTree | undefined): CodeLines {
  let end = code.length;
  while (code[end - 1] === '\n' || code[end - 1] === '\r') end -= 1;
  const plain = tree ? withoutComments(tree) : code.replaceAll(/^[^\S\r\n]*#[^\r\n]*/gm, '');
  return {
    raw: end === 0 ? 0 : code.slice(0, end).split(lineEnd).length,
    stripped: plain
      .split(lineEnd)
      .map((line) => line.trimEnd())
      .filter((line) => line !== ''),
  };
}

function withoutComments({ code, nodes }: SyntaxTree): string {
  let [kept, at] = ['', 0];
  for (const { kind, from, to } of nodes) {
    if (kind !== 'Comment') continue;
    kept += code.slice(at, from);
    at = to;
  }
  return kept + code.slice(at);
}
