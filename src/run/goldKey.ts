import { normalized } from '../datasets/seenQuestions';
import { literalNumber } from '../grading/literalNumber';

const plainInteger = /^-?\d{1,15}$/;

/**
 * A gold answer as it is compared with another one of the same question: numbers that are written out by their value, so
 * that 025, 25 and 25.0 are one; anything else by its text without white space.
 */
export function goldKey(answer: string): { readonly key: string; readonly isNumber: boolean } {
  const text = normalized(answer);
  if (plainInteger.test(text)) return { key: String(Number(text)), isNumber: true };
  const value = literalNumber(text);
  if (!value) return { key: text.replaceAll(' ', ''), isNumber: false };
  return { key: value.d === 1n ? `${value.n}` : `${value.n}/${value.d}`, isNumber: true };
}
