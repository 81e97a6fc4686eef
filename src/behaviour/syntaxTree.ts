import { parser } from '@lezer/python';

/** A node of the grammar of Lezer: its kinds begin with a capital, keywords and punctuation do not. */
export interface SyntaxNode {
  readonly kind: string;
  /** UTF-16 units of the code. */
  readonly from: number;
  readonly to: number;
  /** The parser recovered from an error here. */
  readonly isGuess: boolean;
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

/** Brackets that are open at once: CPython takes no more. */
const mostNesting = 200;
/** Of longer code so much is looked at first: text that is no Python takes the parser ten times as long. */
const firstCode = 2_000;
/** Places in it at which the parser may have to guess. */
const mostGuesses = 100;

/** The tree of a piece of Python; undefined where it is beyond the bounds. Nothing of it is run, and it does not throw. */
export function syntaxTree(code: string): SyntaxTree | undefined {
  if (code.length > mostCode || isDeep(code)) return undefined;
  if (code.length > firstCode && guessesIn(code.slice(0, firstCode)) > mostGuesses) return undefined;
  return parsed(code);
}

/** Counted as they stand, in strings too. */
function isDeep(code: string): boolean {
  let depth = 0;
  for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
    depth = '([{'.includes(bracket) ? depth + 1 : Math.max(0, depth - 1);
    if (depth > mostNesting) return true;
  }
  return false;
}

const guessesIn = (code: string): number =>
  parsed(code)?.nodes.filter(({ isGuess }) => isGuess).length ?? Number.POSITIVE_INFINITY;

function parsed(code: string): SyntaxTree | undefined {
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
      const node = { kind: name, from, to, isGuess: type.isError, parent: parent?.node, children };
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
