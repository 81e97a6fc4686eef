import {
  decorations,
  delimited,
  dots,
  functions,
  greek,
  inverses,
  marks,
  several,
  skipped,
  variants,
} from './commandNames';
import type { Cursor } from './cursor';
import { quotientOfDifferentials } from './derivative';
import { Unread } from './effort';
import { parseMatrix } from './parseMatrix';
import { parseSeries } from './parseSeries';
import type { Token } from './tokenize';
import { apply, contains, isMinusOne, symbolsOf, type Tree, whole } from './tree';

/** @param token a command that has been taken. */
export function parseCommand(parser: Cursor, token: Token): Tree {
  const name = token.text.slice(1);
  if (greek.has(name)) return { kind: 'symbol', name: variants[name] ?? name };
  if (functions.has(name)) return functionCall(parser, name);
  if (several.has(name) && parser.next?.type === 'number') throw new Unread(`"${name}" is a label`);
  if (several.has(name)) return apply(name, ...itemsOf(bracketArgument(parser)));
  if (name === 'angle' || name === 'measuredangle') return angle(parser);
  if (skipped.has(name)) return parser.factor();
  if (dots.has(name)) return { kind: 'symbol', name: '...' };
  if (decorations.has(name)) return decorated(parser, name);
  if (Object.hasOwn(delimited, name)) {
    const [close, operation] = delimited[name]!;
    return parser.within(() => {
      const inner = parser.sum();
      parser.expect(close);
      return apply(operation, inner);
    });
  }
  switch (name) {
    case 'frac': {
      const [above, below] = [fractionPart(parser), fractionPart(parser)];
      return quotientOfDifferentials(above, below) ?? apply('divide', above, below);
    }
    case 'binom':
    case 'choose': {
      const above = fractionPart(parser);
      return apply('binomial', above, fractionPart(parser));
    }
    case 'sqrt':
      return root(parser);
    case 'pi':
      return { kind: 'constant', name: 'pi' };
    case 'infty':
      return { kind: 'constant', name: 'infinity' };
    case 'emptyset':
    case 'varnothing':
      return { kind: 'group', open: '{', close: '}', items: [] };
    case 'log':
    case 'lg':
      return logarithm(parser, name);
    case 'Gamma':
      return parser.is('(') ? apply('gamma', parser.factor()) : { kind: 'symbol', name };
    case 'sum':
    case 'prod':
    case 'int':
    case 'lim':
      return parseSeries(parser, name);
    case 'begin':
      return parseMatrix(parser);
    case 'vert':
      return parser.barred('\\vert');
    case 'langle':
      return parser.within(() => {
        const items = itemsOf(parser.list());
        parser.expect('\\rangle');
        return { kind: 'group', open: '(', close: ')', items };
      });
    case 'partial':
    case 'nabla':
    case 'prime':
      return { kind: 'symbol', name };
    case 'forall':
    case 'exists':
      throw new Unread('it is quantified');
    default:
      return unknownFunction(parser, name);
  }
}

const itemsOf = (tree: Tree): readonly Tree[] => (tree.kind === 'group' || tree.kind === 'list' ? tree.items : [tree]);

function bracketArgument(parser: Cursor): Tree {
  return parser.within(() =>
    parser.is('{') || parser.is('(') || parser.is('\\{') || parser.is('[') ? parser.argument() : parser.term(),
  );
}

/** Part of a fraction: braces, or one digit of what follows. */
function fractionPart(parser: Cursor): Tree {
  return parser.within(() => parser.argument());
}

function root(parser: Cursor): Tree {
  if (!parser.accept('['))
    return apply(
      'root',
      parser.within(() => radicand(parser)),
      whole(2),
    );
  const degree = parser.within(() => parser.sum());
  parser.expect(']');
  return apply(
    'root',
    parser.within(() => radicand(parser)),
    degree,
  );
}

const radicand = (parser: Cursor): Tree => parser.argument();

function logarithm(parser: Cursor, name: string): Tree {
  const base = parser.accept('_') ? parser.within(() => parser.argument()) : undefined;
  const exponent = parser.accept('^') ? parser.within(() => parser.argument()) : undefined;
  const argument = functionArgument(parser);
  const value = base
    ? apply('log', argument, base)
    : name === 'lg'
      ? apply('log', argument, whole(10))
      : apply('ln', argument);
  return exponent ? apply('power', value, exponent) : value;
}

function functionCall(parser: Cursor, name: string): Tree {
  const exponent = parser.accept('^') ? parser.within(() => signedArgument(parser)) : undefined;
  if (exponent && isMinusOne(exponent) && Object.hasOwn(inverses, name))
    return apply(inverses[name]!, functionArgument(parser));
  const value = apply(name, functionArgument(parser));
  return exponent ? apply('power', value, exponent) : value;
}

function signedArgument(parser: Cursor): Tree {
  return parser.accept('-') ? apply('negate', parser.argument()) : parser.argument();
}

/** A bracket with nothing clinging to it, or factors up to the next sign, relation or function. */
function functionArgument(parser: Cursor): Tree {
  return parser.within(() => {
    if (parser.accept('-')) return apply('negate', functionArgument(parser));
    if (parser.is('(') || parser.is('{') || parser.is('[')) {
      // log(8)^2 is the square of the logarithm; braces alone are no brackets to a reader.
      const visible = !parser.is('{') || parser.ahead(1)?.text === '(';
      const bracket = parser.attempt(() => {
        const inner = parser.argument();
        return (parser.is('^') && !visible) || parser.is('!') ? undefined : inner;
      });
      if (bracket) return bracket;
    }
    let argument = parser.factor();
    while (parser.startsFactor() && !stopsArgument(parser)) argument = apply('multiply', argument, parser.factor());
    while (parser.is('/') && parser.ahead(1)?.type === 'number') {
      parser.take();
      argument = apply('divide', argument, parser.factor());
    }
    return argument;
  });
}

function stopsArgument(parser: Cursor): boolean {
  const text = parser.next!.text;
  if (text === 'd' && parser.integrals > 0 && parser.ahead(1)?.type === 'name') return true;
  if (text === '(' || text === '[') return true;
  const name = text.slice(1);
  return text.startsWith('\\') && (functions.has(name) || name === 'log' || name === 'lg' || several.has(name));
}

const isImaginary = (tree: Tree) => tree.kind === 'constant' && tree.name === 'i';

/** Points that stand side by side, in order. */
function lettersOf(tree: Tree): string | undefined {
  if (tree.kind === 'symbol') return /^[A-Z]$/.test(tree.name) ? tree.name : undefined;
  if (tree.kind !== 'apply' || tree.name !== 'multiply') return undefined;
  const [left, right] = tree.args.map(lettersOf);
  return left && right && left + right;
}

/** From A to B is the opposite of from B to A. */
function vector(letters: string): Tree {
  const [from, to] = letters as unknown as [string, string];
  return from > to
    ? apply('negate', { kind: 'symbol', name: `vec ${to}${from}` })
    : { kind: 'symbol', name: `vec ${letters}` };
}

/** Three points name an angle by its corner in the middle; the outer two may change places. */
function angle(parser: Cursor): Tree {
  const points = [0, 1, 2].map((index) => parser.ahead(index));
  if (!points.every((token) => token?.type === 'name' && /^[A-Z]$/.test(token.text))) return parser.factor();
  const [first, corner, last] = points.map(() => parser.take().text) as [string, string, string];
  return { kind: 'symbol', name: `angle ${first < last ? first + corner + last : last + corner + first}` };
}

function decorated(parser: Cursor, name: string): Tree {
  const inner = parser.within(() => parser.argument());
  const letters = lettersOf(inner);
  if (letters?.length === 2 && (name === 'vec' || name === 'overrightarrow')) return vector(letters);
  if (marks.has(name) && !(name === 'hat' && /^[ijk]$/.test(nameIn(inner)))) {
    if (inner.kind !== 'symbol') throw new Unread(`\\${name} marks no letter`);
    return { kind: 'symbol', name: `${name} ${inner.name}` };
  }
  if (name === 'mathbb') return inner.kind === 'symbol' ? { kind: 'symbol', name: `mathbb ${inner.name}` } : inner;
  return name === 'overline' || name === 'bar' ? overlined(inner) : inner;
}

/** `\overline{AB}` is a segment, `\overline{ab}` the number 10a + b, `\overline{3+4i}` a conjugate. */
function overlined(inner: Tree): Tree {
  if (inner.kind === 'symbol') return { kind: 'symbol', name: `bar ${inner.name}` };
  if (contains(inner, isImaginary)) return apply('conjugate', inner);
  const digits = digitsOf(inner);
  if (digits) return digits.reduce((sum, digit) => apply('add', apply('multiply', whole(10), sum), digit));
  return lettersOf(inner) === undefined && symbolsOf(inner).size > 0 ? apply('call bar', inner) : inner;
}

/** What stands side by side, where each can be a digit. */
function digitsOf(tree: Tree): readonly Tree[] | undefined {
  if (tree.kind === 'symbol') return /^[a-z]$/.test(tree.name) ? [tree] : undefined;
  if (tree.kind === 'number') return tree.digits === 1 && tree.value.d === 1n ? [tree] : undefined;
  if (tree.kind !== 'apply' || tree.name !== 'multiply') return undefined;
  const [left, right] = tree.args.map(digitsOf);
  return left && right && [...left, ...right];
}

const nameIn = (tree: Tree): string => (tree.kind === 'symbol' || tree.kind === 'constant' ? tree.name : '');

function unknownFunction(parser: Cursor, name: string): Tree {
  if (!/^[a-zA-Z]{2,}$/.test(name)) throw new Unread(`\\${name} is unknown`);
  if (parser.is('(')) return apply(`call ${name}`, ...itemsOf(parser.argument()));
  if (parser.is('{')) {
    parser.take();
    return apply(`call ${name}`, ...itemsOf(parser.braced()));
  }
  throw new Unread(`\\${name} is unknown`);
}
