import { Cursor } from './cursor';
import { derivative } from './derivative';
import { Unread } from './effort';
import { parseCommand } from './parseCommand';
import { parseArgument, parseBars, parseBraced, parseFactor, startsFactor } from './parseFactor';
import { isProperFraction } from './properFraction';
import { divide } from './rational';
import type { Token } from './tokenize';
import { type Apply, apply, type List, listOf, type Measure, type Tree } from './tree';
import { holdsUnit } from './unitSymbols';
import { dollar, isPartOf, joinedUnits, readUnit, type Unit } from './units';

const relations: Readonly<Record<string, string>> = {
  '=': '=',
  '\\ne': '≠',
  '\\neq': '≠',
  '<': '<',
  '>': '>',
  '\\lt': '<',
  '\\gt': '>',
  '\\le': '≤',
  '\\leq': '≤',
  '\\leqslant': '≤',
  '\\ge': '≥',
  '\\geq': '≥',
  '\\geqslant': '≥',
  '\\in': '∈',
  '\\approx': '≈',
  '\\equiv': '≡',
  '\\sim': '∼',
  '\\simeq': '≈',
  '\\cong': '≅',
  '\\propto': '∝',
  '\\subset': '⊂',
  '\\subseteq': '⊆',
  '\\notin': '∉',
  '\\to': '→',
  '\\rightarrow': '→',
  '\\Rightarrow': '⇒',
  '\\implies': '⇒',
  '\\iff': '⇔',
  '\\Leftrightarrow': '⇔',
  '\\mapsto': '→',
  '\\parallel': '∥',
  '\\perp': '⊥',
  '\\mid': '∣',
  '\\doteq': '≈',
};
const sets: Readonly<Record<string, string>> = {
  '\\cup': 'union',
  '\\bigcup': 'union',
  '\\cap': 'intersection',
  '\\setminus': 'without',
  '\\backslash': 'without',
  '\\smallsetminus': 'without',
};
const logic: Readonly<Record<string, string>> = { '\\wedge': 'and', '\\land': 'and', '\\vee': 'or', '\\lor': 'or' };
const products = new Set(['*', '\\cdot', '\\times', '\\ast', '\\bullet']);
const quotients = new Set(['/', '\\div']);

/** Reads tokens by recursive descent, loosest operators first. Throws Unread where no reading fits. */
export class Parser extends Cursor {
  answer(): Tree {
    const tree = this.list();
    if (this.next) throw new Unread(`"${this.next.text.replaceAll('\ue001', '\\\\')}" stands where nothing should`);
    return tree;
  }

  list(): Tree {
    const groups: Tree[] = [];
    let items: Tree[] = [];
    let joint: List['joint'] = ',';
    let semicolon = false;
    for (;;) {
      items.push(this.item());
      const separator = this.separator();
      if (separator === undefined) break;
      if (separator === ';') {
        semicolon = true;
        groups.push(listOf(items, joint));
        items = [];
      } else if (separator !== ',') joint = separator;
      if (!this.next || this.closes()) break;
    }
    if (!semicolon) return listOf(items, joint);
    if (items.length > 0) groups.push(listOf(items, joint));
    return listOf(groups, ',');
  }

  private separator(): ',' | ';' | 'and' | 'or' | undefined {
    let found: ',' | ';' | 'and' | 'or' | undefined;
    for (;;) {
      if (this.accept(',')) found ??= ',';
      else if (this.accept(';') || (this.depth === 0 && this.accept('\ue001'))) found ??= ';';
      else if (this.accept('\\and')) found = 'and';
      else if (this.accept('\\or')) found = 'or';
      else return found;
    }
  }

  /** Whether nothing more belongs to the value before. */
  private ends(): boolean {
    return this.closes() || [',', ';', '\\and', '\\or', '\ue001'].some((mark) => this.is(mark));
  }

  private closes(): boolean {
    return [')', ']', '}', '\\}', '\\rangle'].some((close) => this.is(close));
  }

  item(): Tree {
    const operands = [this.side()];
    const operators: string[] = [];
    for (let token = this.next; token; token = this.next) {
      if (token.type === 'word' || !Object.hasOwn(relations, token.text)) break;
      if (this.builder && token.text === '\\mid') break;
      this.take();
      operators.push(relations[token.text]!);
      operands.push(this.side());
    }
    if (operators.length === 0) return operands[0]!;
    return { kind: 'relation', operands: operators.includes('≡') ? operands.map(asResidue) : operands, operators };
  }

  /** A product of letters that stands alone may be a word. */
  private side(): Tree {
    const from = this.place;
    const tree = this.ratio();
    const word = tree.kind === 'apply' ? this.lettersSince(from) : undefined;
    return word === undefined ? tree : { ...(tree as Apply), word };
  }

  private ratio(): Tree {
    const items = [this.combination()];
    while (!this.builder && this.accept(':')) items.push(this.combination());
    return items.length === 1 ? items[0]! : { kind: 'ratio', items };
  }

  /** Unions and the like, and logic. */
  private combination(): Tree {
    let left = this.sum();
    for (let token = this.next; token; token = this.next) {
      const name = sets[token.text] ?? logic[token.text];
      if (name === undefined || token.type === 'word') break;
      this.take();
      if (isVector(this.next)) throw new Unread('it is a product of vectors');
      left = apply(name, left, this.sum());
    }
    return left;
  }

  sum(): Tree {
    let left = this.signed();
    for (;;) {
      if (this.accept('+')) left = apply('add', left, this.term());
      else if (this.accept('-')) left = apply('subtract', left, this.term());
      else if (this.accept('\\pm')) left = apply('plusMinus', left, this.term());
      else if (this.accept('\\mp')) left = apply('minusPlus', left, this.term());
      else return left;
    }
  }

  private signed(): Tree {
    if (this.accept('+')) return this.term();
    if (this.accept('\\pm')) return apply('plusMinus', this.term());
    if (this.accept('\\mp')) return apply('minusPlus', this.term());
    return this.term();
  }

  /** Products, quotients, remainders and units. A leading minus binds the first factor, so that `-7 mod 5` is 3. */
  term(): Tree {
    const money = this.accept('\ue002');
    let left = this.signedFactor();
    for (let token = this.next; token; token = this.next) {
      if (token.type === 'word') {
        left = this.measured(left);
      } else if (isCompound(left, token)) {
        left = this.compound(left);
      } else if (products.has(token.text)) {
        this.take();
        if (token.text === '\\times' && left.kind !== 'number' && (isVector(this.next) || isNabla(left)))
          throw new Unread('it is a product of vectors');
        left = apply('multiply', left, this.signedFactor());
      } else if (quotients.has(token.text)) {
        if (this.ahead(1)?.type === 'word') break;
        this.take();
        left = derivative(this, left) ?? apply('divide', left, this.signedFactor());
      } else if (token.text === '\\mod' || token.text === '\\bmod') {
        this.take();
        left = apply('modulo', left, this.signedFactor());
      } else if (token.text === '\\pmod') {
        this.take();
        left = apply('residue', left, this.factor());
      } else if (token.text === '(' && this.ahead(1)?.text === '\\mod') {
        this.take();
        this.take();
        left = apply(
          'residue',
          left,
          this.within(() => this.sum()),
        );
        this.expect(')');
      } else if (this.startsFactor()) {
        left = this.juxtaposed(left, token);
      } else break;
    }
    return money ? withUnit(left, dollar) : left;
  }

  private signedFactor(): Tree {
    if (this.accept('-')) return this.within(() => apply('negate', this.signedFactor()));
    if (this.accept('+')) return this.within(() => this.signedFactor());
    if (this.accept('\\neg') || this.accept('\\lnot')) return this.within(() => apply('negate', this.signedFactor()));
    return this.factor();
  }

  /** `5 ft 3 in`: known units of one dimension and nothing else, each smaller than the one before. */
  private compound(left: Measure): Tree {
    let { value } = left;
    let last = left.unit;
    while (this.next?.type === 'number') {
      const right = this.measured(this.factor());
      if (right.kind !== 'measure' || !isPartOf(right.unit, last)) throw new Unread('units do not fit');
      const scale = divide(right.unit.scale, left.unit.scale)!;
      value = apply('add', value, apply('multiply', right.value, { kind: 'number', value: scale, digits: 1 }));
      last = right.unit;
    }
    return { kind: 'measure', value, unit: { ...left.unit, turn: last.turn, of: last.of } };
  }

  /** `2x`, and the exceptions: `2 1/2` is mixed, unless a bracket makes it a product; `1 2` are two answers. */
  private juxtaposed(left: Tree, token: Token): Tree {
    if (left.kind === 'measure' && holdsUnit(left) && (this.is('\\frac') || this.is('\\sqrt')))
      throw new Unread('values stand side by side');
    const bare = this.is('\\frac') || (this.is('{') && this.ahead(1)?.text === '\\frac');
    const right = this.factor();
    // Percent and degrees belong to all that stands before them.
    if (right.kind === 'measure') return { ...right, value: this.joined(left, right.value, token, bare) };
    return this.joined(left, right, token, bare);
  }

  private joined(left: Tree, right: Tree, token: Token, bare: boolean): Tree {
    const inner = left.kind === 'apply' && left.name === 'negate' ? left.args[0]! : left;
    if (token.type === 'number' && right.kind === 'number') {
      if (inner.kind === 'number') {
        const mixed = this.spacedFraction(inner, right);
        if (mixed) return inner === left ? mixed : apply('negate', mixed);
      }
      if (endsInLetter(left)) throw new Unread('a number stands behind a letter');
      if (endsInNumber(left)) return listOf([...(left.kind === 'list' ? left.items : [left]), right], ' ');
    }
    if (
      bare &&
      inner.kind === 'number' &&
      isProperFraction(right) &&
      inner.places === undefined &&
      inner.value.n > 0n
    ) {
      const mixed = apply('add', inner, right);
      return inner === left ? mixed : apply('negate', mixed);
    }
    return apply('multiply', left, right);
  }

  private spacedFraction(left: Tree, above: Tree): Tree | undefined {
    return this.attempt(() => {
      if (left.kind !== 'number' || left.places !== undefined || !this.accept('/')) return undefined;
      const below = this.factor();
      const fraction = apply('divide', above, below);
      return isProperFraction(fraction) ? apply('add', left, fraction) : undefined;
    });
  }

  /** Words after a value are its unit. */
  private measured(value: Tree): Tree {
    let text = '';
    for (let token = this.next; token; token = this.next) {
      if (token.type === 'word') text += ` ${this.take().text}`;
      else if (token.text === '^') {
        const exponent = this.attempt(() => {
          this.take();
          const number = this.factor();
          return number.kind === 'number' ? number.value.n : undefined;
        });
        if (exponent === undefined) throw new Unread('a unit has a strange exponent');
        text += `^${exponent}`;
      } else if (token.text === '/' && /^[hs]$/.test(this.ahead(1)?.text ?? '') && text !== '') {
        this.take();
        text += ` / ${this.take().text}`;
      } else if ((token.text === '/' || token.text === '\\cdot') && this.ahead(1)?.type === 'word') {
        this.take();
        text += token.text === '/' ? ' / ' : ' * ';
      } else break;
    }
    if (/(?<![a-zA-Z])\d/.test(text.replaceAll(/\^ ?-?\d/g, ''))) throw new Unread('words stand between numbers');
    const { unit, factor } = readUnit(text);
    if (!unit && this.next?.type === 'number') throw new Unread('words stand between numbers');
    if (joining.test(text) && this.next && !this.ends()) throw new Unread('a word joins two values');
    const scaled =
      factor.n === factor.d
        ? value
        : apply('multiply', value, { kind: 'number', value: factor, digits: String(factor.n).length });
    if (unit?.dimension.startsWith('noun ') && this.next?.type === 'name')
      throw new Unread('words stand between letters');
    // Rows and columns of a matrix do not change places.
    if (unit?.dimension.startsWith('noun matri') && scaled.kind === 'apply' && scaled.name === 'multiply')
      return apply('call shape', ...scaled.args);
    return unit ? withUnit(scaled, unit) : scaled;
  }

  factor(): Tree {
    return parseFactor(this);
  }

  argument(): Tree {
    return parseArgument(this);
  }

  braced(): Tree {
    return parseBraced(this);
  }

  barred(close: string): Tree {
    return parseBars(this, close);
  }

  command(token: Token): Tree {
    return parseCommand(this, token);
  }

  startsFactor(): boolean {
    return startsFactor(this);
  }
}

/** A unit belongs to all that stands before it, unless a factor there has its own: `3 cm * 4 cm`. */
function withUnit(value: Tree, unit: Unit): Tree {
  if (value.kind === 'measure') {
    const joined = joinedUnits(value.unit, unit);
    if (joined) return { kind: 'measure', value: value.value, unit: joined };
  }
  if (value.kind === 'apply' && /^(?:multiply|divide)$/.test(value.name) && holdsUnit(value.args[0]!))
    return apply(value.name, value.args[0]!, withUnit(value.args[1]!, unit));
  return { kind: 'measure', value, unit };
}

const isCompound = (left: Tree, token: Token): left is Measure => left.kind === 'measure' && token.type === 'number';

/** What stands between two values and is no part of a unit. */
const joining =
  /(?:[,;:]|(?<![a-z])(?:and|or|to|by|then|x|vs|versus|of|per|minus|less|plus|more|not|but|times|with|from|between|over|against|for|at|is|are|on|in)\.?) *$/i;

const isVector = (token: Token | undefined): boolean =>
  token?.bold === true || (token?.type === 'command' && /^\\(?:vec|overrightarrow|hat)$/.test(token.text));

/** In `x \equiv 5 \mod 7` the modulus belongs to the relation. */
const asResidue = (tree: Tree): Tree =>
  tree.kind === 'apply' && tree.name === 'modulo' ? { ...tree, name: 'residue' } : tree;

const isNabla = (tree: Tree) => tree.kind === 'symbol' && tree.name === 'nabla';

/** `x2` and "3 to 4" are no products. */
const endsInLetter = (tree: Tree): boolean =>
  tree.kind === 'symbol' ||
  (tree.kind === 'constant' && tree.name !== 'pi') ||
  (tree.kind === 'apply' && tree.name === 'multiply' && endsInLetter(tree.args[1]!));

const endsInNumber = (tree: Tree): boolean =>
  tree.kind === 'number' ||
  (tree.kind === 'list' && tree.joint === ' ') ||
  (tree.kind === 'apply' && tree.name === 'negate' && endsInNumber(tree.args[0]!));
