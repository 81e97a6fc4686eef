import { type SyntaxNode, type SyntaxTree, textOf } from './syntaxTree';

/** What code is written for, in the order in which the rules are asked. */
export const purposes = [
  'plotting',
  'verification',
  'simulation',
  'geometry',
  'symbolic',
  'enumeration',
  'calculation',
  'other',
] as const;
export type Purpose = (typeof purposes)[number];

const plotters = ['matplotlib', 'pylab', 'seaborn', 'plotly', 'bokeh', 'turtle', 'sympy.plotting'];
const chances = ['random', 'secrets', 'scipy.stats', 'sympy.stats', 'numpy.random'];
const figures = new Set(
  'Point Point2D Point3D Segment Line Ray Circle Ellipse Triangle Polygon RegularPolygon hypot dist atan2'.split(' '),
);
const figureWords = new Set(
  (
    'triangle circle angle radius polygon perimeter hypotenuse vertex vertices circumradius inradius centroid incenter ' +
    'circumcenter area chord tangent diagonal'
  ).split(' '),
);
const arrangements = new Set(['permutations', 'combinations', 'combinations_with_replacement', 'product']);
const comparisons = new Set(['CompareOp', 'in', 'is', 'and', 'or']);
const comparing = new Set(['isclose', 'allclose', 'equals', 'all']);
const saysVerify =
  /\bverif(?:y|ies|ied|ying|ication)|\bdouble[- ]check|\bsanity[- ]check|\bcheck (?:the|our|my|answers?|results?|solutions?)\b/i;

const operations = new Set(['ArithOp', 'BitOp', 'CompareOp', 'UpdateOp', 'Number']);
const loopStatements = new Set(['ForStatement', 'WhileStatement']);
const functions = new Set(['FunctionDefinition', 'LambdaExpression']);
const isLoop = ({ kind, children }: SyntaxNode) =>
  loopStatements.has(kind) ||
  ((kind === 'ArgList' || kind.includes('Comprehension')) && children.some((c) => c.kind === 'for'));

/** What the rules ask of a tree. */
interface Facts {
  /** Dotted names of what is imported; `from a import b` gives `a` and `a.b`. */
  readonly imports: readonly string[];
  /** Last names of what is called: `f` of `a.f()`. */
  readonly calls: ReadonlySet<string>;
  /** Dotted texts of what is called. */
  readonly called: readonly string[];
  readonly loops: ReadonlySet<SyntaxNode>;
  /** What stands in a loop, at whatever depth; and in a function. */
  readonly inLoop: ReadonlySet<SyntaxNode>;
  readonly inFunction: ReadonlySet<SyntaxNode>;
  /** The last statement of the code. */
  readonly last: SyntaxNode | undefined;
  readonly nodes: readonly SyntaxNode[];
  readonly tree: SyntaxTree;
}

/** The first purpose whose rule the code fulfils. @see docs/behaviour.md */
export function purposeOf(tree: SyntaxTree | undefined): Purpose {
  if (!tree) return 'other';
  const facts = factsOf(tree);
  return purposes.find((purpose) => rules[purpose](facts)) ?? 'other';
}

const rules: Readonly<Record<Purpose, (facts: Facts) => boolean>> = {
  plotting: ({ imports }) => importsAny(imports, plotters),
  verification: (facts) =>
    facts.nodes.some(
      (node) =>
        node.kind === 'AssertStatement' ||
        (isSaid(node) && saysVerify.test(textOf(facts.tree, node))) ||
        (!facts.inLoop.has(node) &&
          !facts.inFunction.has(node) &&
          shownBy(facts, node).some((value) => isComparison(facts.tree, value))),
    ),
  simulation: ({ imports, calls, called }) =>
    importsAny(imports, chances) || calls.has('default_rng') || called.some((name) => /\.random(?:\.|$)/.test(name)),
  geometry: ({ imports, calls, nodes, tree }) =>
    importsAny(imports, ['sympy.geometry', 'shapely']) ||
    [...calls].some((name) => figures.has(name)) ||
    new Set(
      nodes
        .filter(({ kind }) => kind === 'VariableName')
        .map((node) => textOf(tree, node))
        .filter(namesFigure),
    ).size > 1,
  symbolic: ({ imports, calls }) =>
    importsAny(imports, ['sympy', 'sage']) || calls.has('symbols') || calls.has('Symbol'),
  enumeration: ({ imports, calls, nodes, loops, inLoop }) =>
    [...calls].some((name) => arrangements.has(name)) ||
    imports.some((name) => arrangements.has(name.replace(/^itertools\./, ''))) ||
    nodes.some(
      (node) =>
        (node.kind === 'if' && node.parent && loops.has(node.parent)) ||
        ((node.kind === 'IfStatement' || node.kind === 'ConditionalExpression') && inLoop.has(node)) ||
        isSearchingWhile(node),
    ),
  calculation: ({ calls, nodes, loops, tree }) =>
    !tree.hasError &&
    (loops.size > 0 ||
      [...calls].some((name) => name !== 'print' && name !== 'input') ||
      nodes.some(({ kind }) => operations.has(kind))),
  other: () => true,
};

/** Letters of a name that is called, with all that it is an attribute of; what is longer is no name. */
const longestCallee = 100;

function factsOf(tree: SyntaxTree): Facts {
  const { nodes } = tree;
  const called = nodes.flatMap(({ kind, children: [callee] }) =>
    kind === 'CallExpression' && callee && callee.to - callee.from <= longestCallee
      ? textOf(tree, callee).replaceAll(/\s/g, '')
      : [],
  );
  const loops = new Set(nodes.filter(isLoop));
  return {
    imports: nodes.filter(({ kind }) => kind === 'ImportStatement').flatMap((node) => importedBy(tree, node)),
    calls: new Set(called.map((name) => name.slice(name.lastIndexOf('.') + 1))),
    called,
    loops,
    inLoop: within(nodes, (node) => loops.has(node)),
    inFunction: within(nodes, ({ kind }) => functions.has(kind)),
    last: nodes[0]?.children.findLast(({ kind }) => kind !== 'Comment'),
    nodes,
    tree,
  };
}

/** Nodes that have such a node above them. @param nodes parents before their children. */
function within(nodes: readonly SyntaxNode[], isOuter: (node: SyntaxNode) => boolean): Set<SyntaxNode> {
  const found = new Set<SyntaxNode>();
  for (const node of nodes) {
    if (node.parent && (isOuter(node.parent) || found.has(node.parent))) found.add(node);
  }
  return found;
}

function importedBy(tree: SyntaxTree, { children }: SyntaxNode): string[] {
  const names: string[] = [];
  let [base, name, renamed] = ['', '', false];
  const end = () => {
    if (name !== '') names.push(base === '' ? name : `${base}.${name}`);
    [name, renamed] = ['', false];
  };
  const isFrom = children[0]?.kind === 'from';
  for (const [index, node] of children.entries()) {
    if (node.kind === 'import' && isFrom) {
      names.push(name);
      [base, name] = [name, ''];
    } else if (node.kind === 'as') renamed = true;
    else if (node.kind === ',') end();
    else if (index > 0 && !renamed && (node.kind === 'VariableName' || node.kind === '.')) name += textOf(tree, node);
  }
  end();
  return names;
}

const importsAny = (imports: readonly string[], modules: readonly string[]) =>
  imports.some((name) => modules.some((module) => name === module || name.startsWith(`${module}.`)));

const isSaid = ({ kind }: SyntaxNode) => kind === 'Comment' || kind === 'String' || kind === 'FormatString';

/** Values that a `print` shows, or that of an expression at the end of the code. */
function shownBy({ tree, loops, last }: Facts, node: SyntaxNode): readonly SyntaxNode[] {
  const [callee, list] = node.children;
  if (node.kind === 'CallExpression' && callee && textOf(tree, callee) === 'print') {
    // A generator among its arguments makes the list of arguments a loop.
    const values = list && !loops.has(list) ? list.children : [];
    return values.flatMap((value) =>
      value.kind === 'FormatString' ? value.children.flatMap((c) => c.children) : value,
    );
  }
  // Prose has such an end too: "the answer is 5".
  return node === last && node.kind === 'ExpressionStatement' && !tree.hasError ? node.children : [];
}

function isComparison(tree: SyntaxTree, value: SyntaxNode): boolean {
  let node = value;
  while (node.kind === 'ParenthesizedExpression' && node.children[1]) node = node.children[1];
  const [first] = node.children;
  if (node.kind === 'BinaryExpression') return node.children.some(({ kind }) => comparisons.has(kind));
  if (node.kind === 'UnaryExpression') return first?.kind === 'not';
  if (node.kind !== 'CallExpression' || !first) return false;
  const name = textOf(tree, first);
  return comparing.has(name.slice(name.lastIndexOf('.') + 1));
}

function namesFigure(name: string): boolean {
  const words = name
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[_\d]+/);
  return words.some((word) => figureWords.has(word));
}

/** A `while` whose condition calls something looks for what fulfils it; one that counts down works something out. */
function isSearchingWhile({ kind, children }: SyntaxNode): boolean {
  if (kind !== 'WhileStatement') return false;
  const pending = children.filter((child) => child.kind !== 'Body');
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.kind === 'CallExpression') return true;
    pending.push(...node.children);
  }
  return false;
}
