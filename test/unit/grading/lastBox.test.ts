import { expect, it } from 'vitest';
import { lastBox } from '../../../src/grading/lastBox';

it.each([
  ['\\boxed{5}', '5'],
  ['first \\boxed{4}, then \\boxed{5}.', '5'],
  ['\\boxed{\\frac{3}{4}}', '\\frac{3}{4}'],
  ['\\boxed{4} and \\boxed{5', '4'],
  ['\\boxed{a \\boxed{b} c}', 'a \\boxed{b} c'],
  ['\\boxed{\\{1, 2\\}}', '\\{1, 2\\}'],
  ['\\boxed{}', ''],
  ['}\\boxed{5}}', '5'],
  ['\\boxed{{5}', undefined],
  ['\\boxed{5', undefined],
  ['boxed{5}', undefined],
  ['\\boxed 5', undefined],
  ['', undefined],
])('finds in %s the box %s', (text, expected) => {
  expect(lastBox(text)).toBe(expected);
});

it('reads long and hostile texts in one pass', () => {
  expect(lastBox('\\boxed{'.repeat(200_000))).toBe(undefined);
  expect(lastBox(`${'{'.repeat(500_000)}\\boxed{5}`)).toBe('5');
  expect(lastBox('\\boxed{1}'.repeat(100_000))).toBe('1');
});
