import { cleanText } from './cleanText';
import { type Effort, Exhausted, Unread } from './effort';
import { Parser } from './parse';
import { commandOf, tokenize } from './tokenize';
import type { Tree } from './tree';
import { isUnitName } from './units';
import { type Choice, choiceOf, type DayTime, dayTimeOf, isWording, plainText, wordsOf } from './words';

/** What one side says. `tree` is undefined where it was not read as mathematics; `problem` says why, as a clause. */
export interface Answer {
  readonly clean: string;
  readonly plain: string;
  readonly words: string | undefined;
  readonly choice: Choice | undefined;
  readonly time: DayTime | undefined;
  readonly tree: Tree | undefined;
  readonly problem: string | undefined;
}

export function readAnswer(text: string, effort: Effort): Answer {
  const clean = cleanText(text);
  const plain = plainText(clean);
  const wording = isWording(plain);
  const parts = {
    clean,
    plain,
    choice: choiceOf(clean, plain),
    time: dayTimeOf(plain),
  };
  try {
    if (isProse(plain)) throw new Unread('it is prose');
    return { ...parts, words: wording ? wordsOf(plain) : undefined, tree: readTree(clean, effort), problem: undefined };
  } catch (error) {
    if (!(error instanceof Unread) && !(error instanceof Exhausted)) throw error;
    const words = wording || isProse(plain) ? wordsOf(plain) : undefined;
    return { ...parts, words, tree: undefined, problem: error.message };
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
  if (!/^["'(]?[A-Za-z]{2}/.test(plain) && !/^[A-Z] [a-z]{2}/.test(plain)) return false;
  const words = plain.replaceAll(/\\[a-zA-Z]+/g, ' ').match(/[A-Za-z]{2,}/g) ?? [];
  const unknown = words.filter(
    (word) =>
      commandOf(word) === undefined && !isUnitName(word) && !/^(?:and|or)$/i.test(word) && word !== word.toUpperCase(),
  );
  return (
    unknown.length >= 2 ||
    unknown.some((word) =>
      /^(?:the|is|are|of|not|for|no|it|if|all|any|every|none|yes|odd|even|true|false|neither|both|only)$/i.test(word),
    )
  );
}
