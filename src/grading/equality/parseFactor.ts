import { startsCommand } from './commandNames';
import type { Cursor } from './cursor';
import { Unread } from './effort';
import { numberOf } from './numberOf';
import { parseDegrees } from './parseDegrees';
import { apply, type Group, isMinusOne, type Tree, whole } from './tree';
import { percent } from './units';

/** Letters that name a function where a bracket follows at once. */
const functionNames = /^[fghFGHIPpQqTWφψ]$|'$/;

/** Whether the next token can begin another factor, so that what stands side by side is a product. */
export function startsFactor(parser: Cursor): boolean {
  const token = parser.next;
  if (!token) return false;
  if (token.type === 'number' || token.type === 'name') return true;
  if (token.type === 'command') return startsCommand(token.text);
  if (token.text === '|') return parser.bars === 0 && !parser.builder;
  if (token.text === '[') return !parser.reversed;
  return token.text === '(' || token.text === '{' || token.text === '\\{' || token.text === '\\|';
}

/** An operand with everything that clings to it: exponents, indices, factorials, primes, percent and degrees. */
export function parseFactor(parser: Cursor): Tree {
  return parser.within(() => postfixed(parser, operand(parser)));
}

function operand(parser: Cursor): Tree {
  const token = parser.take();
  switch (token.type) {
    case 'number':
      return numberOf(token);
    case 'name':
      return named(parser, token.text);
    case 'command':
      return parser.command(token);
    case 'word':
      throw new Unread(`"${token.text.slice(0, 40)}" is no mathematics`);
    default:
      return bracketed(parser, token.text);
  }
}

function named(parser: Cursor, letter: string): Tree {
  if (letter === 'e' || letter === 'i') {
    if (!parser.is('_') && !parser.is("'")) return { kind: 'constant', name: letter };
  }
  if (letter === 'I' && !parser.is('(') && !parser.is('_') && !parser.is("'")) return { kind: 'constant', name: 'i' };
  return { kind: 'symbol', name: letter };
}

function bracketed(parser: Cursor, open: string): Tree {
  switch (open) {
    case '(':
    case '[':
      return group(parser, open, [')', ']']);
    case ']':
      return group(parser, '(', ['[', ']'], { '[': ')', ']': ']' });
    case '{':
      return parseBraced(parser);
    case '\\{':
      return set(parser);
    case '|':
      return parseBars(parser, '|');
    case '\\|':
      return parseBars(parser, '\\|');
    default:
      throw new Unread(`"${open.replace('\ue001', '\\\\')}" stands where a value should`);
  }
}

function group(
  parser: Cursor,
  open: '(' | '[',
  closers: readonly string[],
  names: Readonly<Record<string, Group['close']>> = {},
): Tree {
  return parser.within(() => {
    if (closers.some((close) => parser.is(close))) {
      parser.take();
      return { kind: 'group', open, close: open === '(' ? ')' : ']', items: [] };
    }
    parser.reversed = Object.hasOwn(names, '[');
    const content = parser.list();
    const close = closers.find((candidate) => parser.accept(candidate));
    if (close === undefined) throw new Unread('a bracket does not close');
    const closed = names[close] ?? (close as Group['close']);
    if (content.kind === 'list') return { kind: 'group', open, close: closed, items: content.items };
    if (open === '[' && content.kind === 'group' && content.open === '[') {
      return { kind: 'group', open, close: closed, items: [content] };
    }
    if ((open === '(') !== (closed === ')')) throw new Unread('brackets do not match');
    return content;
  });
}

/** LaTeX's own braces, or a set whose backslashes were forgotten. */
export function parseBraced(parser: Cursor): Tree {
  return parser.within(() => {
    if (parser.accept('}')) return { kind: 'group', open: '{', close: '}', items: [] };
    const content = parser.list();
    if (parser.accept('\\choose')) {
      const below = parser.sum();
      parser.expect('}');
      return apply('binomial', content, below);
    }
    parser.expect('}');
    return content.kind === 'list' ? { kind: 'group', open: '{', close: '}', items: content.items } : content;
  });
}

function set(parser: Cursor): Tree {
  if (parser.accept('\\}')) return { kind: 'group', open: '{', close: '}', items: [] };
  const built = parser.attempt(() =>
    parser.within(() => {
      const element = parser.item();
      if (!parser.accept('|') && !parser.accept(':') && !parser.accept('\\mid') && !parser.accept('\\vert'))
        return undefined;
      parser.builder = false;
      const condition = parser.list();
      parser.expect('\\}');
      return { kind: 'builder', element, condition } as const;
    }, true),
  );
  if (built) return built;
  return parser.within(() => {
    const content = parser.list();
    parser.expect('\\}');
    return { kind: 'group', open: '{', close: '}', items: content.kind === 'list' ? content.items : [content] };
  });
}

export function parseBars(parser: Cursor, close: string): Tree {
  return parser.within(() => {
    parser.bars = 1;
    const inner = parser.list();
    parser.expect(close);
    return apply('absolute', inner);
  });
}

/** One argument of a command: a braced group, or the next token alone. */
export function parseArgument(parser: Cursor): Tree {
  if (parser.accept('{')) return parseBraced(parser);
  return parser.within(() => operand(parser));
}

function postfixed(parser: Cursor, start: Tree): Tree {
  let tree = start;
  for (let token = parser.next; token; token = parser.next) {
    parser.effort.spend();
    if (token.type === 'word') return tree;
    switch (token.text) {
      case '^':
        parser.take();
        tree = raised(parser, tree);
        break;
      case '_':
        parser.take();
        tree = indexed(parser, tree);
        break;
      case '!':
        parser.take();
        tree = apply(parser.accept('!') ? 'doubleFactorial' : 'factorial', tree);
        break;
      case "'":
        tree = primed(parser, tree);
        break;
      case '%':
      case '\\%':
        parser.take();
        tree = { kind: 'measure', value: tree, unit: percent };
        break;
      case '\\degree':
      case '\\circ':
        parser.take();
        if (token.text === '\\circ' && tree.kind !== 'number' && startsFactor(parser))
          throw new Unread('it is a composition of functions');
        tree = parseDegrees(parser, tree);
        break;
      case '(':
        if (tree.kind !== 'symbol' || token.spaced) return tree;
        return called(parser, tree.name) ?? tree;
      default:
        return tree;
    }
  }
  return tree;
}

function called(parser: Cursor, name: string): Tree | undefined {
  const certain = functionNames.test(name);
  return parser.attempt(() => {
    parser.take();
    const content = parser.within(() => parser.list());
    if (!parser.accept(')')) return undefined;
    if (!certain && content.kind !== 'list') return undefined;
    const call = apply(`call ${name}`, ...(content.kind === 'list' ? content.items : [content]));
    return postfixed(parser, call);
  });
}

function raised(parser: Cursor, base: Tree): Tree {
  const braces = parser.is('{') ? 1 : 0;
  const word = parser.ahead(braces);
  if (word?.type === 'word') {
    if (!/^(?:th|st|nd|rd)$/.test(word.text)) throw new Unread('an exponent is text');
    for (let count = 0; count < 1 + 2 * braces; count += 1) parser.take();
    return base;
  }
  const exponent = parser.within(() => exponentOf(parser));
  // f^{-1}(x) is the inverse of f, f^2(x) is f(x)^2.
  if (base.kind === 'symbol' && functionNames.test(base.name) && parser.is('(')) {
    const inverse = isMinusOne(exponent);
    const call = called(parser, inverse ? `${base.name}^-1` : base.name);
    if (call) return inverse ? call : apply('power', call, exponent);
  }
  return apply('power', base, exponent);
}

function exponentOf(parser: Cursor): Tree {
  if (parser.accept('{')) {
    const mark = parser.next?.text;
    if ((mark === '-' || mark === '*' || mark === '+') && parser.ahead(1)?.text === '}') {
      parser.take();
      parser.take();
      return { kind: 'symbol', name: mark };
    }
    return parseBraced(parser);
  }
  if (parser.accept('-')) return apply('negate', exponentOf(parser));
  const tree = parser.within(() => operand(parser));
  return parser.accept('^')
    ? apply(
        'power',
        tree,
        parser.within(() => exponentOf(parser)),
      )
    : tree;
}

/** `x_1` is a name, `a_{n-1}` depends on n, `12_3` is in base 3. */
function indexed(parser: Cursor, tree: Tree): Tree {
  const index = parser.accept('{') ? braceIndex(parser) : parser.within(() => operand(parser));
  if (tree.kind === 'number' && typeof index !== 'string' && index.kind === 'number') {
    return { kind: 'based', digits: tree.value.n.toString(), base: Number(index.value.n) };
  }
  const label = typeof index === 'string' ? index : labelOf(index);
  if (label !== undefined && tree.kind === 'symbol') {
    const symbol: Tree = { kind: 'symbol', name: `${tree.name}_${label}` };
    return functionNames.test(tree.name) && parser.is('(') && !parser.next!.spaced
      ? (called(parser, symbol.name) ?? symbol)
      : symbol;
  }
  if (label !== undefined && tree.kind === 'apply' && tree.name === 'power' && tree.args[0]!.kind === 'symbol') {
    return apply('power', { kind: 'symbol', name: `${tree.args[0].name}_${label}` }, tree.args[1]!);
  }
  if (typeof index !== 'string' && tree.kind === 'apply' && tree.name === 'power' && tree.args[0]!.kind === 'symbol') {
    return apply('power', apply(`index ${tree.args[0].name}`, index), tree.args[1]!);
  }
  if (typeof index === 'string') throw new Unread('an index belongs to no name');
  return apply(`index ${tree.kind === 'symbol' ? tree.name : ''}`, ...(tree.kind === 'symbol' ? [] : [tree]), index);
}

/** Letters and digits in braces are a label; anything else is computed. */
function braceIndex(parser: Cursor): Tree | string {
  const label = parser.attempt(() => {
    let text = '';
    while (!parser.accept('}')) {
      const token = parser.take();
      if (token.type !== 'name' && token.type !== 'number' && token.type !== 'word') return undefined;
      text += token.text;
    }
    return text.length > 1 ? text : undefined;
  });
  return label ?? parseBraced(parser);
}

function labelOf(tree: Tree): string | undefined {
  if (tree.kind === 'number' && tree.value.d === 1n) return tree.value.n.toString();
  return undefined;
}

function primed(parser: Cursor, tree: Tree): Tree {
  let count = 0;
  while (parser.accept("'")) count += 1;
  if (tree.kind === 'symbol') {
    const name = tree.name + "'".repeat(count);
    return parser.is('(') && !parser.next!.spaced
      ? (called(parser, name) ?? { kind: 'symbol', name })
      : { kind: 'symbol', name };
  }
  return apply('prime', tree, whole(count));
}
