import { parser } from '@lezer/python';

/** A node of the grammar of Lezer: its kinds begin with a capital, keywords and punctuation do not. */
export interface SyntaxNode {
  readonly kind: string;
  /** UTF-16 units of the code. */
  readonly from: number;
  readonly to: number;
  readonly parent: SyntaxNode | undefined;
  readonly children: readonly SyntaxNode[];
}

export interface SyntaxTree {
  readonly code: string;
  /** All nodes, parents before their children; the first is the root. */
  readonly nodes: readonly SyntaxNode[];
  /** True where the parser had to guess. */
  readonly hasError: boolean;
}

/** UTF-16 units of code that are parsed at most. */
export const mostCode = 20_000;
/** Moves of the parser per unit of code. Python takes less than one; recovery from errors is bounded by this. */
const mostMoves = 4;

/** The tree of a piece of Python; undefined where it is beyond the bound. Nothing of it is run, and it does not throw. */
export function syntaxTree(code: string): SyntaxTree | undefined {
  if (code.length > mostCode) return undefined;
  const parse = parser.startParse(code);
  let tree = parse.advance();
  for (let moves = mostMoves * (code.length + 1); tree === null && moves > 0; moves--) tree = parse.advance();
  if (tree === null) return undefined;

  const nodes: SyntaxNode[] = [];
  const open: { readonly node: SyntaxNode; readonly children: SyntaxNode[] }[] = [];
  let hasError = false;
  tree.iterate({
    enter({ name, from, to, type }) {
      hasError ||= type.isError;
      const parent = open.at(-1);
      const children: SyntaxNode[] = [];
      const node = { kind: name, from, to, parent: parent?.node, children };
      parent?.children.push(node);
      open.push({ node, children });
      nodes.push(node);
    },
    leave() {
      open.pop();
    },
  });
  return { code, nodes, hasError };
}

export const textOf = ({ code }: SyntaxTree, { from, to }: SyntaxNode): string => code.slice(from, to);
