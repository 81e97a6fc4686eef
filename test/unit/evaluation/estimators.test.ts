import { describe, expect, it } from 'vitest';
import { averageAtN, majorityAtN, passAtK, type Vote } from '../../../src/evaluation/estimators';

/** `a` and `b` are wrong answers, `!` a right one, `-` none. */
const votes = (text: string): Vote[] =>
  Array.from(text, (letter) => ({ answer: letter === '-' ? null : letter, correct: letter === '!' }));

describe('pass@k', () => {
  it('draws without putting back: a right answer among four is found by four', () => {
    expect(passAtK({ samples: 4, correct: 1 }, 4)).toBe(1);
  });

  it('refuses more draws than there are samples, and says what to do', () => {
    expect(() => passAtK({ samples: 4, correct: 4 }, 8)).toThrow('pass@8 cannot be told from 4 samples of a problem.');
    expect(() => passAtK({ samples: 4, correct: 1 }, 0)).toThrow(/pass@0/);
    expect(() => passAtK({ samples: 4, correct: 1 }, 1.5)).toThrow(/pass@1.5/);
  });

  it('takes no score that cannot be', () => {
    expect(() => passAtK({ samples: 4, correct: 5 }, 1)).toThrow('A problem cannot have 5 correct of 4 samples.');
    expect(() => averageAtN([{ samples: 0, correct: 0 }])).toThrow('A problem cannot have 0 correct of 0 samples.');
    expect(() => averageAtN([])).toThrow(/at least one problem/);
  });
});

describe('avg@n', () => {
  it('weighs problems alike, though of one fewer samples count', () => {
    const scores = [
      { samples: 4, correct: 4 },
      { samples: 1, correct: 0 },
    ];
    expect(averageAtN(scores)).toBe(0.5);
  });
});

describe('maj@n', () => {
  it.each([
    ['!!a', 1],
    ['!aa', 0],
    ['!!aab', 1 / 2],
    ['!!aabb', 1 / 3],
    ['!abc', 1 / 4],
    ['!----', 1],
    ['----', 0],
    ['a', 0],
  ])('of %s is %s', (text, expected) => {
    expect(majorityAtN(votes(text))).toBe(expected);
  });

  it('counts right answers as one, however they are written', () => {
    const half = { answer: '1/2', correct: true };
    expect(majorityAtN([half, { ...half, answer: '0.5' }, ...votes('aab')])).toBe(1 / 2);
  });

  it('needs a sample', () => {
    expect(() => majorityAtN([])).toThrow('A majority needs at least one sample.');
  });
});
