import { closingAt } from './cleanText';
import { type Effort, Unread } from './effort';
import { isUnitName } from './units';
import { code } from './words';

/** `name`: a letter or a known word of mathematics. `word`: text, mostly a unit. `mark`: punctuation. */
export interface Token {
  readonly type: 'number' | 'name' | 'command' | 'word' | 'mark';
  readonly text: string;
  /** White space stands before it. */
  readonly spaced: boolean;
  /** Digits of a decimal that repeat for ever. */
  readonly repeating?: string;
  /** The letters that a letter begins, where they may be a word: "HTTH". */
  readonly run?: string;
  /** A letter in bold type, which mostly is a vector. */
  readonly bold?: true;
}

const mostTokens = 3000;

/** Words that mean the command of the same name. */
const commands: Readonly<Record<string, string>> = Object.fromEntries(
  'sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth asin acos atan log ln lg exp sqrt max min gcd lcm floor ceil pi infty det cis mod alpha beta gamma delta theta lambda mu sigma phi omega abs cbrt deg binom sign sgn Re Im arg'
    .split(' ')
    .map((name) => [name, name]),
);
const aliases: Readonly<Record<string, string>> = {
  infinity: 'infty',
  inf: 'infty',
  oo: 'infty',
  asin: 'arcsin',
  acos: 'arccos',
  atan: 'arctan',
  ceiling: 'ceil',
  Pi: 'pi',
};
export const commandOf = (word: string): string | undefined =>
  Object.hasOwn(aliases, word) ? aliases[word] : Object.hasOwn(commands, word) ? commands[word] : undefined;

const textual =
  /^(?:text|textbf|textit|textrm|textsf|texttt|textnormal|textsc|mbox|hbox|mathrm|mathbf|mathit|mathsf|mathcal|mathtt|operatorname|boldsymbol|bm|bf|rm|it|emph|textup|textmd|textcircled|mathscr|mathfrak|boldmath)$/;
const joints: Readonly<Record<string, string>> = {
  and: '\\and',
  or: '\\or',
  或: '\\or',
  和: '\\and',
  与: '\\and',
  及: '\\and',
};

const grouped = /[1-9]\d{0,2}(?:,\d{3}){1,40}(?!\d)(?!,\d)/y;
const spacedGroups = /[1-9]\d{0,2}(?: \d{3}){1,40}(?!\d)(?! \d)/y;
const decimal = /\d+(?:\.\d+)?|\.\d+/y;
const exponent = /[eE][+-]?\d+(?![\d.])/y;
const repeats = /\\overline\s*\{(\d+)\}|\\overline\s*(\d)|\\dot\s*\{?(\d)\}?|\\bar\s*\{(\d+)\}/y;
const prefixed = /0(?:[xX][\dA-Fa-f]+|[bB][01]+|[oO][0-7]+)(?!\w)/y;
const bold = /^(?:mathbf|textbf|boldsymbol|bm|bf)$/;
const run = /[A-Za-z]+/y;
/** `\text{ cm and }`: what joins two values is no part of the unit before it. */
const jointBehind = /^(.*?)[\s,;]*(?:(?<=[\s,;])(and|or)|([,;]))$/i;
const quantity = /^[\d.,]{1,40} ?[A-Za-z][A-Za-z .]*$/;
const decimalPrefix = /^[\d.,]+/;
const foreign = /[^ -~\ue000-\ue00f]+/y;
const pairs: Readonly<Record<string, string>> = {
  '<=': '\\le',
  '>=': '\\ge',
  '!=': '\\ne',
  '==': '=',
  ':=': '=',
  '**': '^',
  '=>': '\\to',
  '->': '\\to',
  '<>': '\\ne',
};

/** Three letters or more, unless they are small ones, each once: those are variables. Roman numerals, too. */
const mayBeWord = (letters: string): boolean =>
  letters.length > 2
    ? !(/^[a-z]+$/.test(letters) && new Set(letters).size === letters.length)
    : /^[IVXL]{2}$/.test(letters);

/** @throws Unread, Exhausted */
export function tokenize(text: string, effort: Effort): Token[] {
  const tokens: Token[] = [];
  scan(text, tokens, effort, 0);
  return tokens;
}

function scan(text: string, tokens: Token[], effort: Effort, depth: number): void {
  if (depth > 8) throw new Unread('text is nested too deeply');
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const mayHoldCode = /\d[-/.]\d/.test(text);
  const brackets: string[] = [];
  let spaced = true;
  const push = (type: Token['type'], token: string, more?: Pick<Token, 'repeating' | 'run' | 'bold'>) => {
    effort.spend();
    if (tokens.length >= mostTokens) throw new Unread('it is too long');
    tokens.push(more === undefined ? { type, text: token, spaced } : { type, text: token, spaced, ...more });
    spaced = false;
  };
  const letters = (name: string, after: number) => {
    const command = commandOf(name);
    if (isMeasured(name, tokens, text.slice(after, after + 8))) push('word', name);
    else if (command !== undefined) push('command', `\\${command}`);
    else if (Object.hasOwn(joints, name.toLowerCase())) push('mark', joints[name.toLowerCase()]!);
    else if (name.length > 1 && isUnit(name, tokens)) push('word', name);
    else
      for (const [place, letter] of [...name].entries())
        push('name', letter, place === 0 && mayBeWord(name) ? { run: name } : undefined);
  };
  for (let at = 0; at < text.length; ) {
    const character = text[at]!;
    if (character === ' ') {
      spaced = true;
      at += 1;
    } else if ((character >= '0' && character <= '9') || (character === '.' && /\d/.test(text[at + 1] ?? ''))) {
      if (takesDigit(tokens) && character !== '.') {
        push('number', character);
        at += 1;
        continue;
      }
      if (mayHoldCode && !/[\w.)}\]/-]/.test(text[at - 1] ?? '') && match(code, at))
        throw new Unread('it is a date or a code');
      const radix = match(prefixed, at);
      if (radix) {
        push('number', radix[0].toLowerCase());
        at += radix[0].length;
        continue;
      }
      const loose = brackets.length === 0 || brackets.at(-1) === '{';
      const afterComma = at > 0 && text[at - 1] === ',' && /\d/.test(text[at - 2] ?? '');
      const group = (loose && !afterComma && match(grouped, at)) || match(spacedGroups, at);
      let [number] = group || match(decimal, at)!;
      at += number.length;
      if (group && text[at] === '.' && /\d/.test(text[at + 1] ?? '')) {
        const [fraction] = match(decimal, at)!;
        number += fraction;
        at += fraction.length;
      }
      if (group) number = number.replaceAll(/[ ,]/g, '');
      const power = match(exponent, at);
      const repeating = match(repeats, text[at] === '.' ? at + 1 : at);
      if (power) {
        number += power[0].toLowerCase();
        at += power[0].length;
      } else if (repeating && (number.includes('.') || text[at] === '.')) {
        at += repeating[0].length + (text[at] === '.' ? 1 : 0);
        push('number', number, { repeating: repeating.slice(1).find((digits) => digits !== undefined)! });
        continue;
      } else if (text[at] === '.' && !/[\d.]/.test(text[at + 1] ?? '')) at += 1;
      push('number', number);
    } else if (/[A-Za-z]/.test(character)) {
      const [name] = match(run, at)!;
      at += name.length;
      letters(name, at);
    } else if (character === '\\') {
      const name = match(run, at + 1)?.[0];
      if (name === undefined) {
        const mark = text.slice(at, at + 2);
        if (mark === '\\{') brackets.push('(');
        else if (mark === '\\}') brackets.pop();
        push('mark', mark);
        at += 2;
      } else if (textual.test(name)) {
        at = content(at + 1 + name.length, name);
      } else {
        push('command', `\\${name}`);
        at += 1 + name.length;
      }
    } else if (character > '\u007f' && (character < '\ue000' || character > '\ue00f')) {
      const [word] = match(foreign, at)!;
      if (Object.hasOwn(joints, word)) push('mark', joints[word]!);
      else push('word', word);
      at += word.length;
    } else {
      const pair = '<>!=:*-'.includes(character) ? text.slice(at, at + 2) : '';
      if (pair !== '' && Object.hasOwn(pairs, pair) && !(pair === '**' && brackets.length > 60)) {
        push('mark', pairs[pair]!);
        at += 2;
        continue;
      }
      if (character === '(' || character === '[') brackets.push('(');
      else if (character === '{') brackets.push('{');
      else if (character === ')' || character === ']' || character === '}') brackets.pop();
      push('mark', character);
      at += 1;
    }
  }

  /** Text mode: a unit, a joint, a letter, or mathematics that only looks like text. @returns where it ends. */
  function content(after: number, command: string): number {
    let from = after;
    while (text[from] === ' ') from += 1;
    if (text[from] !== '{') {
      if (/^(?:bf|rm|it|boldmath)$/.test(command)) return from;
      throw new Unread(`\\${command} has no text`);
    }
    const end = closingAt(text, from);
    if (end < 0) throw new Unread('a brace does not close');
    piece(
      text
        .slice(from + 1, end)
        .replaceAll('~', ' ')
        .trim(),
      command,
      text.slice(end + 1, end + 9),
    );
    return end + 1;
  }

  /** @param rest what follows the text. */
  function piece(inner: string, command: string, rest: string): void {
    const joint = jointBehind.exec(inner);
    const unit = joint?.[1] ?? '';
    if (inner === '') spaced = true;
    else if (joint && (/\p{L}{2}|\p{L}\W+\p{L}/u.test(unit) || isLetterUnit(unit, command, tokens))) {
      piece(unit, command, '');
      push('mark', joint[2] ? joints[joint[2].toLowerCase()]! : joint[3]!);
    } else if (/^[A-Za-z]$/.test(inner))
      push(
        isLetterUnit(inner, command, tokens) ? 'word' : 'name',
        inner,
        bold.test(command) ? { bold: true } : undefined,
      );
    else if (isMeasured(inner, tokens, rest)) push('word', inner);
    else if (commandOf(inner) !== undefined) push('command', `\\${commandOf(inner)}`);
    else if (Object.hasOwn(joints, inner.toLowerCase())) push('mark', joints[inner.toLowerCase()]!);
    else if (command === 'operatorname' && /^[A-Za-z]+$/.test(inner)) push('command', `\\${inner}`);
    else if (
      /[\\^_=<>+\ue001]|^[\d\s.,%/()[\]{}$-]+$|^(?:and|or|,)\s|\d\s+(?:and|or)\s/.test(inner) ||
      /^[a-z]\([a-z]\)$/i.test(inner)
    ) {
      scan(inner, tokens, effort, depth + 1);
    } else if (quantity.test(inner)) {
      const digits = decimalPrefix.exec(inner)![0];
      scan(digits, tokens, effort, depth + 1);
      push('word', inner.slice(digits.length));
    } else push('word', inner);
  }
}

/** `\frac12` is one half: TeX takes one digit for a part without braces. */
function takesDigit(before: readonly Token[]): boolean {
  const isFraction = (token: Token | undefined) =>
    token?.type === 'command' && (token.text === '\\frac' || token.text === '\\binom');
  return isFraction(before.at(-1)) || (before.at(-1)?.type === 'number' && isFraction(before.at(-2)));
}

function isUnit(name: string, before: readonly Token[]): boolean {
  const last = before.at(-1);
  const afterValue = last !== undefined && (last.type !== 'mark' || ')]}|%'.includes(last.text) || last.text === '\\}');
  // "7 days ago", "20% off"
  if ((last?.type === 'word' || last?.text === '%' || last?.text === '\\%') && /^[a-z]{2,}$/.test(name)) return true;
  if (isUnitName(name)) return afterValue || name.length > 3;
  return name.length > 3 && name !== name.toUpperCase()
    ? true
    : name.length === 2 && /^(?:th|st|nd|rd)$/.test(name) && last?.type === 'number';
}

/** `30 min` is a time, `2 min(3, 4)` a product: after a value, with no argument behind. */
function isMeasured(name: string, before: readonly Token[], rest: string): boolean {
  const last = before.at(-1);
  const afterValue = last !== undefined && (last.type === 'number' || last.text === ')' || last.text === '}');
  const argument = name === 'min' ? /^ *(?:[({[_^a-zA-Z]|\\(?!text))/ : /^ *(?:[({[_^a-zA-Z\d]|\\(?!text))/;
  return /^(?:min|max|sec|deg)$/.test(name) && afterValue && !argument.test(rest);
}

/** `5\text{ m}` is a length; `\text{m}` alone, or after a letter, is a letter. */
function isLetterUnit(letter: string, command: string, before: readonly Token[]): boolean {
  const last = before.at(-1);
  if (last === undefined || !/^(?:text|mathrm|mbox|textrm|textnormal|operatorname)$/.test(command)) return false;
  if (last.type === 'word') return true;
  return (
    (last.type === 'number' || last.text === ')' || last.text === '}' || last.text === '/') &&
    /[mgshlLNJWVK]/.test(letter)
  );
}
