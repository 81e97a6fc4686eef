import { expect, it } from 'vitest';
import { equalRationals } from '../../../src/grading/rationalEquality';

it.each([
  ['5', '5'],
  ['+4', '4'],
  ['-3', '\u22123'],
  ['007', '7'],
  ['-0', '0'],
  ['1,234', '1234'],
  ['1,234,567.50', '1234567.5'],
  ['0.75', '3/4'],
  ['.5', '\\frac{1}{2}'],
  ['-\\dfrac{6}{8}', '-3/4'],
  ['\\frac{-3}{4}', '3/-4'],
  ['6 / 8', '0.750'],
  ['$5$', ' 5 '],
  ['5.0', '5'],
  ['123456789012345678901234567890', '123456789012345678901234567890.0'],
])('takes %s and %s for the same number', (left, right) => {
  expect(equalRationals(left, right)).toBe(true);
  expect(equalRationals(right, left)).toBe(true);
});

it.each([
  ['5', '6'],
  ['0.3333333333333333', '1/3'],
  ['9007199254740993', '9007199254740992'],
  ['1/3', '-1/3'],
  ['1,234', '1.234'],
])('takes %s and %s for different numbers', (left, right) => {
  expect(equalRationals(left, right)).toBe(false);
});

it.each([
  '',
  'x',
  '1/0',
  '\\frac{1}{0}',
  '12,34',
  '0,111',
  '1e9',
  '1e999999999',
  '5 apples',
  '5.',
  '--5',
  '1/2/3',
  '1 2',
  '0x10',
  '٣',
  '9'.repeat(401),
])('does not know what number %s is', (text) => {
  expect(equalRationals(text, '5')).toBe(undefined);
  expect(equalRationals('5', text)).toBe(undefined);
});
