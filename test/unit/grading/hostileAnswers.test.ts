import { expect, it } from 'vitest';
import { equalAnswers } from '../../../src/grading/equalAnswers';
import { mulberry32 } from '../../../src/lib/seed';

const pieces = [
  ...[
    '(',
    '[',
    '{',
    '\\{',
    '|',
    '\\frac{1}{',
    '\\frac',
    '\\sqrt{',
    'x^{',
    '\\text{a}',
    '\\text{',
    '\\sin ',
    '-',
    '1+',
    'x_',
  ],
  ...[
    '2^',
    '\\pm1',
    '(1,2)\\cup',
    '1/',
    '!',
    "'",
    '\\begin{pmatrix}',
    '\\sum_{k=1}^{3000}',
    '\\int_0^1 ',
    'x<',
    '=',
    'f(',
  ],
  ...[
    'a b ',
    '½',
    '²',
    '\\\\',
    '&',
    '1:',
    '{}',
    '\\{x|',
    '[1,',
    '\\binom',
    '9',
    '0.',
    'e',
    '1e5',
    '**',
    '$',
    '\\(',
    ' ',
  ],
  ...[
    '5\\text{ cm}',
    '111 ',
    '111,',
    '和',
    '\\det',
    ')',
    ']',
    '}',
    '\\}',
    '\\right)',
    '\\end{pmatrix}',
    ',',
    '\u0000',
    '\ud800',
  ],
];

it('neither throws nor runs away on repetitions', () => {
  for (const piece of pieces) {
    for (const count of [3, 60, 1200]) {
      const text = piece.repeat(count);
      const began = performance.now();
      expect(equalAnswers(`${text}1`, `${text}2`).verdict, piece).not.toBe('equal');
      expect(performance.now() - began, piece).toBeLessThan(1500);
    }
  }
});

it('neither throws on arbitrary text nor depends on when it is asked', () => {
  const random = mulberry32(7);
  const text = () =>
    Array.from({ length: 1 + random() * 14 }, () => pieces[Math.floor(random() * pieces.length)]!).join('');
  for (let round = 0; round < 3000; round += 1) {
    const [a, b] = [text(), text()];
    const { verdict, reason } = equalAnswers(a, b);
    expect(equalAnswers(a, b)).toMatchObject({ verdict, reason });
    expect(reason).toMatch(/^[A-Z][\s\S]*\.$/);
  }
});

it.each(['3:\\pm 1', '\\{x : x > \\pm 1\\}', '\\sum_{k=1}^{\\pm 3} k', '\\begin{pmatrix}\\pm 1\\\\2\\end{pmatrix}'])(
  'comes to an end with an open sign inside %s',
  (text) => {
    expect(equalAnswers(text, '2').verdict).not.toBe('equal');
    expect(equalAnswers('2', `${text}, 1`).verdict).not.toBe('equal');
  },
);

it('compares what is too long letter by letter only', () => {
  expect(equalAnswers('1+'.repeat(20_000), '1').verdict).toBe('unknown');
  expect(equalAnswers('1+'.repeat(20_000), '1+'.repeat(20_000)).verdict).toBe('equal');
});
