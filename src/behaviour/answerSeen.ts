/** Commands around words; what is in their braces stays. */
const wording = /\\(?:text|textbf|mathrm|mathbf|mbox|operatorname)\{([^{}]*)\}/g;

/** A text as answers are looked for in it: LaTeX and Python then spell most numbers alike. */
export const plainForm = (text: string): string =>
  text
    .replaceAll(wording, '$1')
    .replaceAll(/\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}/g, '$1/$2')
    .replaceAll(/\\(?:left|right)(?![a-zA-Z])|\\[,!; ]|\$/g, '')
    .replaceAll('{,}', '')
    .replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** A letter or digit of a word. Chinese and Japanese write words without spaces: a number ends beside theirs. */
const word = '(?:(?![\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}])[\\p{L}\\p{N}])';
const wordOnly = new RegExp(`^${word}$`, 'u');

/** What finds an answer in the plain form of a text: whole, not as a part of a longer word or number. */
export function answerPattern(predicted: string): RegExp | undefined {
  const answer = plainForm(predicted);
  if (answer === '') return undefined;
  const [first, last] = [answer[0]!, answer.at(-1)!];
  const isWord = (character: string) => wordOnly.test(character);
  const isDigit = (character: string) => /\d/.test(character);
  const before = isWord(first) ? `(?<!${word})` : '';
  // A sign belongs to the number unless something is subtracted from.
  const unsigned = isDigit(first) ? `(?<!\\d\\.)(?<!(?:^|(?!${word})[^)\\]}])[-−])` : '';
  const isWhole = /(?:^|[^\d.])\d+$/.test(answer);
  const zeros = isWhole ? '(?:\\.0+(?!\\d))?' : '';
  const after = isWord(last) ? `${zeros}(?!${word})${isDigit(last) ? '(?!\\.\\d)' : ''}` : '';
  return new RegExp(`${before}${unsigned}${answer.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}${after}`, 'u');
}
