/** Commands whose content is text or type face. */
const faces =
  /\\(?:text[a-z]*|mbox|hbox|mathrm|mathbf|mathit|mathsf|operatorname|boldsymbol|bm|bf|rm|it)(?![a-zA-Z])\s*/g;

/** A text without markup, for what is compared letter by letter. */
export function plainText(clean: string): string {
  if (!/[\\{}~]| {2}/.test(clean)) return clean;
  return clean.replaceAll(faces, '').replaceAll(/[{}~]/g, ' ').replaceAll(/ +/g, ' ').trim();
}

const synonyms: Readonly<Record<string, string>> = {
  dne: 'does not exist',
  'no solutions': 'no solution',
  infinity: '\\infty',
};

/** Words in lower case, without punctuation and a leading article: "The ellipse." is "ellipse". */
export function wordsOf(plain: string): string {
  const bare = plain
    .toLowerCase()
    .replaceAll(/["'`.,;:!?()[\]*-]/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
    .replace(/^(?:the|an|a) (?=\S)/, '');
  return Object.hasOwn(synonyms, bare) ? synonyms[bare]! : bare;
}

/** A word of two letters at least, or of one Chinese character that is no numeral. */
const word = /\p{L}{2}|(?![〇一二三四五六七八九十百千万亿])\p{Script=Han}/u;

/** Letters and punctuation alone, with a word among them. */
export const isWording = (plain: string): boolean =>
  !/^[-\d\\$[{+.]/.test(plain) && /^[\p{L}\s'’.,;:!?()-]+$/u.test(plain) && word.test(plain);

/** Letters of choices and numbers of statements, and what follows a single one. */
export interface Choice {
  readonly letters: string;
  readonly rest: string;
  /** "ABC" is as well a word, or a name: nothing stands between its letters. */
  readonly isWord?: true;
}

const single = /^(?:\(([A-Z])\)|([A-Z]))[.:]?$/;
const lower = /^\(([a-z])\)$/;
const labelled =
  /^(?:\(([A-Z])\)[.:]?(?=\s|$)|([A-Z])[.:)](?=\s|$)|\(([A-Z])\)[.:]?(?=[A-Za-z0-9$]))\s*(?![+*/^=<>_!])(.*)$/;
/** What follows a label and names another choice: such an answer names none. */
const another = /\(?[A-Z][.:)](?=\s|$)|\([A-Z]\)|(?:\b(?:or|and|not)\s+|[或和与])\(?[A-Z]\b|^[A-Z]$/;
const several = /^\(?[A-H]\)?(?:(?:\s*(?:,|;|&|and)\s*|\s*)\(?[A-H]\)?){1,7}$/;
const circledDigits = /^[①-⑳](?:[\s,、]*[①-⑳])*$/;
const circled = /\\textcircled\s*\{?\s*([A-Z0-9])\s*\}?/;

/** "A", "(A)", "A. 42", "A,C", "AC". Undefined for what is no choice. */
export function choiceOf(clean: string, plain: string): Choice | undefined {
  if (circledDigits.test(plain)) return { letters: plain.replaceAll(/[\s,、]/g, ''), rest: '' };
  if (!/^[(A-Z\\]/.test(plain)) return undefined;
  const circle = circled.exec(clean);
  const text = circle ? circle[1]! : plain;
  const one = single.exec(text) ?? lower.exec(text);
  if (one) return { letters: (one[1] ?? one[2])!.toUpperCase(), rest: '' };
  const label = labelled.exec(text);
  if (label && !another.test(label[4]!.trim()))
    return { letters: (label[1] ?? label[2] ?? label[3])!, rest: label[4]! };
  if (!several.test(text)) return undefined;
  const letters = text.replaceAll(/and|[^A-Z]/g, '');
  if (new Set(letters).size < letters.length) return undefined;
  return letters === text ? { letters, rest: '', isWord: true } : { letters, rest: '' };
}

/** Whether two sides name the same choices: in the same order, where that counts or a side writes them as a word. */
export function sameChoice(a: Choice, b: Choice, isOrdered: boolean): boolean {
  const sorted = (letters: string) => [...letters].sort().join('');
  return isOrdered || a.isWord || b.isWord ? a.letters === b.letters : sorted(a.letters) === sorted(b.letters);
}

/** Dates of figures, telephone numbers, versions and whatever has a zero before its digits: no subtraction, no quotient. */
export const code =
  /(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4}|\d{3}-(?:\d{3}-)?\d{4}|\d+(?:\.\d+){2,}|0\d+(?:-\d+)+|\d+(?:-\d+)*-0\d+(?:-\d+)*)(?![\w.-]*[\w-])/y;
const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/;

/** A date as 2020-1-2, another code as it stands; undefined for what is neither. */
export function codeOf(plain: string): string | undefined {
  code.lastIndex = 0;
  if (code.exec(plain)?.[0].length !== plain.length) return undefined;
  const date = yearFirst.exec(plain);
  return date ? date.slice(1).map(Number).join('-') : plain;
}

/** A time of day in seconds. `marked`: it cannot be a ratio. `reducible`: a ratio would be written in lower terms. */
export interface DayTime {
  readonly seconds: number;
  readonly half: 'a' | 'p' | undefined;
  readonly marked: boolean;
  readonly reducible: boolean;
}

const clock = /^(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?\s*(?:([ap])\.?\s?m\.?)?$/i;

export function dayTimeOf(plain: string): DayTime | undefined {
  if (plain.length > 16 || !/[:mM]/.test(plain)) return undefined;
  const found = clock.exec(plain);
  if (!found || (found[2] === undefined && found[4] === undefined)) return undefined;
  const [hours, minutes, seconds] = [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)];
  const half = found[4]?.toLowerCase() as DayTime['half'];
  if (hours > 24 || minutes > 59 || seconds > 59 || (half && hours > 12)) return undefined;
  const marked = half !== undefined || /^0/.test(found[2] ?? '') || /^0/.test(found[3] ?? '');
  const hour = half ? (hours % 12) + (half === 'p' ? 12 : 0) : hours;
  const reducible = [2, 3, 5, 7, 11, 13, 17, 19, 23].some((prime) => hours % prime === 0 && minutes % prime === 0);
  return { seconds: hour * 3600 + minutes * 60 + seconds, half, marked, reducible };
}

/**
 * Whether two times are the same. A missing a.m. or p.m. is no difference, as a missing unit is none: 3:45 p.m. is 3:45 and
 * 15:45. Two sides that both look like times are no ratios: 2:30 is not 1:15.
 */
export function sameTime(a: DayTime, b: DayTime): boolean {
  if (a.seconds === b.seconds) return true;
  const halfDay = 12 * 3600;
  return (
    (a.half === undefined) !== (b.half === undefined) &&
    a.seconds % halfDay === b.seconds % halfDay &&
    Math.min(a.seconds, b.seconds) < halfDay &&
    Math.max(a.half ? b.seconds : a.seconds, 0) <= 12 * 3600 + 3599
  );
}
