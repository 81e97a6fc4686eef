import { plainText } from './words';

/** "respectively", "(in that order)", "listed in increasing order", 分别为, with the comma before. */
const phrase = new RegExp(
  [
    String.raw`[\s,;]*(\(?)\s*(?:(?:listed|written|given|arranged|sorted|taken|all) )*`,
    '(?:respectively|分别(?:为|是)?|依次(?:为|是)?|按(?:此|这个)?顺序|in (?:(?:that|this|the same|the given) )?order(?! to| that)|',
    '((?:in|into) (?:the )?(?:strictly )?(?:increasing|decreasing|ascending|descending|alphabetical|chronological|numerical) order',
    '|from (?:smallest|least|lowest|largest|greatest|highest) to (?:smallest|least|lowest|largest|greatest|highest)))',
    String.raw`(?![a-z])\s*(\)?)[\s,:]*`,
  ].join(''),
  'gi',
);
const several = /[,;\ue001]|(?<![a-z])(?:and|or)(?![a-z])|[和与]/i;

/** An answer of several parts without the words that say that their order counts; undefined where there are none. */
export function withoutOrder(clean: string): string | undefined {
  if (!/order|respectively|from|分别|依次|顺序/i.test(clean)) return undefined;
  let [isStated, hasDirection] = [false, false];
  const text = clean
    .replaceAll(phrase, (whole: string, open: string, direction: string | undefined, close: string) => {
      if ((open === '') !== (close === '')) return whole;
      isStated = true;
      if (direction !== undefined) hasDirection = true;
      return ' ';
    })
    .replaceAll(/^[\s:]+|[\s,;.:]+$/g, '');
  if (!isStated || !several.test(text)) return undefined;
  // "The terms are in increasing order" says something.
  return hasDirection && /^["'(]*[A-Za-z]?[a-z]{2}/.test(plainText(text)) ? undefined : text;
}
