import { cleanText } from './cleanText';
import { type Effort, Exhausted, Unread } from './effort';
import { Parser } from './parse';
import { withoutOrder } from './statedOrder';
import { commandOf, tokenize } from './tokenize';
import { inStatedOrder, type Tree } from './tree';
import { isUnitName } from './units';
import { type Choice, choiceOf, codeOf, type DayTime, dayTimeOf, isWording, plainText, wordsOf } from './words';

const wordy = /^(?:["'({:!]*(?:[^\x20-\x7e]|[a-zA-Z])|[^a-zA-Z]*\\(?:text|mbox|hbox|math|operatorname|b|rm|it))/;
const lettered = /[A-Z①-⑳]|\([a-z]\)|textcircled/;
/** "答案是5", "故选A": what introduces an answer. */
const introduction = /^(?:答案?(?:(?:是|为) *:?|:)|(?:故|应)?选项? *:?(?=[A-Z(])) */;
const coded = /\d[-/.]\d/;
const timed = /\d:|[ap]\.? ?m/i;

/** What one side says. What it means is worked out when it is first asked for: equal texts need no meaning. */
export class Answer {
  readonly clean: string;
  /** It says that the order of its parts counts. */
  readonly isOrdered: boolean;
  /** Why there is no tree, as a clause. */
  problem: string | undefined;
  private read = false;
  private found: Tree | undefined;
  private bare: string | undefined;
  private readonly effort: Effort;

  constructor(text: string, effort: Effort) {
    this.effort = effort;
    const clean = cleanText(text);
    const bare = clean > '\u007f' ? clean.replace(introduction, '') : clean;
    const unordered = withoutOrder(bare);
    this.isOrdered = unordered !== undefined;
    this.clean = unordered ?? bare;
  }

  /** Without markup. */
  get plain(): string {
    this.bare ??= plainText(this.clean);
    return this.bare;
  }

  get isEmpty(): boolean {
    return this.clean === '' || (this.clean.endsWith('}') && this.clean.length < 30 && this.plain === '');
  }

  /** Undefined where the side was not read as mathematics. */
  get tree(): Tree | undefined {
    if (this.read) return this.found;
    this.read = true;
    try {
      if (this.mayBeProse && isProse(this.plain)) throw new Unread('it is prose');
      const tree = readTree(this.clean, this.effort);
      this.found = this.isOrdered ? inStatedOrder(tree) : tree;
    } catch (error) {
      if (!(error instanceof Unread) && !(error instanceof Exhausted)) throw error;
      this.problem = error.message;
    }
    return this.found;
  }

  get words(): string | undefined {
    if (!this.mayBeProse) return undefined;
    return isWording(this.plain) || (this.tree === undefined && isProse(this.plain)) ? wordsOf(this.plain) : undefined;
  }

  /** Cheap to tell, and true of few answers. */
  private get mayBeProse(): boolean {
    return wordy.test(this.clean);
  }

  get choice(): Choice | undefined {
    return lettered.test(this.clean) ? choiceOf(this.clean, this.plain) : undefined;
  }

  /** Undefined where the side is neither a date of figures nor a code. */
  get code(): string | undefined {
    return coded.test(this.clean) ? codeOf(this.plain) : undefined;
  }

  get time(): DayTime | undefined {
    return timed.test(this.clean) ? dayTimeOf(this.plain) : undefined;
  }
}

const basedText = /^([0-9A-Fa-f]+)_(\d{1,2})$/;

/** @throws Unread, Exhausted */
export function readTree(clean: string, effort: Effort): Tree {
  const based = clean.includes('_') ? basedText.exec(plainText(clean).replaceAll(' ', '')) : null;
  if (based && Number(based[2]) >= 2 && Number(based[2]) <= 36 && /^\d/.test(based[1]!)) {
    return { kind: 'based', digits: based[1]!.toUpperCase(), base: Number(based[2]) };
  }
  return new Parser(tokenize(clean, effort), effort).answer();
}

/** Sentences begin with a letter and hold words that mathematics does not know. */
function isProse(plain: string): boolean {
  if (!/^["'(A-Za-z]/.test(plain)) return false;
  if (!/^["'(]?[A-Za-z]{2}/.test(plain) && !/^[A-Z] [a-z]{2}/.test(plain)) return false;
  const words = plain.replaceAll(/\\[a-zA-Z]+/g, ' ').match(/[A-Za-z]{2,}/g) ?? [];
  const unknown = words.filter(
    (word) =>
      commandOf(word) === undefined && !isUnitName(word) && !/^(?:and|or)$/i.test(word) && word !== word.toUpperCase(),
  );
  return (
    // ad - bc is algebra.
    (unknown.length >= 2 && unknown.some(({ length }) => length > 3)) ||
    unknown.some((word) =>
      /^(?:the|is|are|of|not|for|no|it|if|all|any|every|none|yes|odd|even|true|false|neither|both|only)$/i.test(word),
    )
  );
}
