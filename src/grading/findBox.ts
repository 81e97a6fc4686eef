import { modelText } from './modelText';

/** Where the box is looked for, and what counts as one. */
export interface BoxRule {
  readonly name: string;
  /**
   * `lenient`: the last complete box of the model's own text; a space before the brace, a box of one token without braces,
   * and `\fbox` where there is no `\boxed` count too. `strict`: the last `\boxed{`, escaped braces counted like others; where
   * it does not close there is none.
   */
  readonly form: 'lenient' | 'strict';
  /** Characters at the end that are looked at, window after window. */
  readonly windows: readonly number[];
}

export const lastBox: BoxRule = { name: 'last-box', form: 'lenient', windows: [] };
/** PyTRIO's reward: the last 300 characters. */
export const box300: BoxRule = { name: 'box-300', form: 'lenient', windows: [300] };
/** verl's `math_dapo.compute_score(strict_box_verify=True)`: the last 300 characters, of these the last 100. */
export const dapoStrictBox100: BoxRule = { name: 'dapo-strict-box-100', form: 'strict', windows: [300, 100] };
/** Those that `retool extract` knows by name. */
export const boxRules: readonly BoxRule[] = [lastBox, box300, dapoStrictBox100];

/**
 * The content of the box that a rule finds, or undefined. Training and evaluation read answers with this alone.
 *
 * @param text what the model wrote, observations and thoughts included where they are marked.
 */
export function findBox(text: string, { form, windows }: BoxRule): string | undefined {
  const seen = windows.reduce(lastCharacters, form === 'lenient' ? modelText(text) : text);
  return form === 'strict' ? strictBox(seen) : lenientBox(seen);
}

/** Characters as Python counts them: code points, not UTF-16 units. */
function lastCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return [...text.slice(-2 * count)].slice(-count).join('');
}

function strictBox(text: string): string | undefined {
  const at = text.lastIndexOf('\\boxed{');
  if (at < 0) return undefined;
  let depth = 0;
  for (let index = at; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    else if (text[index] === '}' && --depth === 0) return text.slice(at + '\\boxed{'.length, index);
  }
  return undefined;
}

function lenientBox(text: string): string | undefined {
  return boxesIn(text).at(-1)?.content;
}

/** Contents of all complete boxes of the model's own text, in order. */
export function allBoxes(text: string): readonly string[] {
  return boxesIn(modelText(text)).map(({ content }) => content);
}

/** A text with a space in the place of each complete box. */
export function withoutBoxes(text: string): string {
  let [kept, at] = ['', 0];
  for (const { from, to } of boxesIn(text)) {
    kept += `${text.slice(at, from)} `;
    at = to;
  }
  return kept + text.slice(at);
}

interface Box {
  readonly content: string;
  /** Where the command begins, and where what is behind the box does. */
  readonly from: number;
  readonly to: number;
}

function boxesIn(text: string): readonly Box[] {
  const closing = closingBraces(text);
  const boxes = boxesOf(text, 'boxed', closing);
  return boxes.length > 0 ? boxes : boxesOf(text, 'fbox', closing);
}

const blank = (character: string | undefined) =>
  character === ' ' || character === '\n' || character === '\t' || character === '\r';

/** Of nested boxes the outer one; a box that does not close is passed over. */
function boxesOf(text: string, command: string, closing: ReadonlyMap<number, number>): readonly Box[] {
  const opening = `\\${command}`;
  const boxes: Box[] = [];
  for (let at = text.indexOf(opening); at >= 0; ) {
    let from = at + opening.length;
    const spaced = blank(text[from]);
    while (blank(text[from])) from += 1;
    const closed = text[from] === '{' ? closing.get(from) : undefined;
    if (closed !== undefined) boxes.push({ content: trimmed(text.slice(from + 1, closed)), from: at, to: closed + 1 });
    else if (text[from] !== '{') {
      const content = bareBox(text, from, spaced, closing);
      if (content !== undefined) boxes.push({ content, from: at, to: from + content.length });
    }
    at = text.indexOf(opening, closed ?? at + opening.length);
  }
  return boxes;
}

const number = /[+-]?(?:\d+(?:[.,]\d+)*|\.\d+)/y;
const command = /\\[a-zA-Z]+/y;

/** What TeX would put into a box without braces: a number, a letter after a space, or a command with its arguments. */
function bareBox(
  text: string,
  from: number,
  spaced: boolean,
  closing: ReadonlyMap<number, number>,
): string | undefined {
  number.lastIndex = from;
  const digits = number.exec(text);
  if (digits) return digits[0];
  command.lastIndex = from;
  const name = command.exec(text);
  if (name) {
    if (/^\\f?box(?:ed)?$/.test(name[0])) return undefined;
    let end = from + name[0].length;
    while (text[end] === '{' && closing.has(end)) end = closing.get(end)! + 1;
    return text.slice(from, end);
  }
  const letter = spaced && /[a-zA-Z]/.test(text[from] ?? '') && !/[a-zA-Z]/.test(text[from + 1] ?? '');
  return letter ? text[from] : undefined;
}

const trimmed = (text: string) => text.replace(/^[ \t\r\n]+/, '').replace(/(?<![ \t\r\n])[ \t\r\n]+$/, '');

/** Where each brace that closes is closed, in one pass. An escaped brace counts as none. */
function closingBraces(text: string): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '\\') index += 1;
    else if (character === '{') open.push(index);
    else if (character === '}') {
      const from = open.pop();
      if (from !== undefined) pairs.set(from, index);
    }
  }
  return pairs;
}
