import { describe, expect, it } from 'vitest';
import { allBoxes, box300, dapoStrictBox100, findBox, lastBox } from '../../../src/grading/findBox';

describe('the last box of the model', () => {
  it.each([
    ['\\boxed{5}', '5'],
    ['first \\boxed{4}, then \\boxed{5}.', '5'],
    ['\\boxed{\\frac{3}{4}}', '\\frac{3}{4}'],
    ['\\boxed{4} and \\boxed{5', '4'],
    ['\\boxed{a \\boxed{b} c}', 'a \\boxed{b} c'],
    ['\\boxed{\\{1, 2\\}}', '\\{1, 2\\}'],
    ['\\boxed{\\}}', '\\}'],
    ['\\\\boxed{84}', '84'],
    ['\\boxed{}', ''],
    ['\\boxed{\n 6 \n}', '6'],
    ['\\boxed {6}', '6'],
    ['\\boxed 12', '12'],
    ['\\boxed\\frac{1}{2} holds', '\\frac{1}{2}'],
    ['\\boxed x', 'x'],
    ['\\fbox{3}', '3'],
    ['\\fbox{3} \\boxed{4} \\fbox{5}', '4'],
    ['}\\boxed{5}}', '5'],
    ['\\boxed{{5}', undefined],
    ['\\boxed{5', undefined],
    ['boxed{5}', undefined],
    ['\\boxedx', undefined],
    ['Put it in \\boxed ', undefined],
    ['', undefined],
  ])('in %s is %s', (text, expected) => {
    expect(findBox(text, lastBox)).toBe(expected);
  });

  it.each([
    ['\\boxed{1}\n```python\nprint("\\boxed{2}")\n```', '1'],
    ['\\boxed{1}\n```python\nprint("\\boxed{2}")', '1'],
    ['We use ``` in text. \\boxed{5}', '5'],
    ['We use <code> in text. \\boxed{5}', '5'],
    ['```python\nprint("\\boxed{2}")\n``` and ``` so \\boxed{5}', '5'],
    ['```latex\n\\boxed{3}\n```', '3'],
    ['<interpreter>\\boxed{2}</interpreter>', undefined],
    ['<tool_response>\\boxed{2}</tool_response> so \\boxed{1}', '1'],
    ['<tool_response>\\boxed{2}', undefined],
    ['<code>print("\\boxed{2}")</code>', undefined],
    ['<think>is it \\boxed{2}', undefined],
    ['<think>is it \\boxed{2}?</think> It is \\boxed{1}', '1'],
    ['<think>a</think>\\boxed{1}<think>or \\boxed{2}', '1'],
  ])('is never in code, output or an unfinished thought: %s', (text, expected) => {
    expect(findBox(text, lastBox)).toBe(expected);
  });

  it('is found in long and hostile texts in one pass', () => {
    expect(findBox('\\boxed{'.repeat(200_000), lastBox)).toBe(undefined);
    expect(findBox(`${'{'.repeat(500_000)}\\boxed{5}`, lastBox)).toBe('5');
    expect(findBox('\\boxed{1}'.repeat(100_000), lastBox)).toBe('1');
    expect(findBox('<code>'.repeat(100_000), lastBox)).toBe(undefined);
    expect(findBox('```'.repeat(100_001), lastBox)).toBe(undefined);
    expect(findBox(`\\boxed{1${' '.repeat(200_000)}}`, lastBox)).toBe('1');
  });

  it('has all the boxes before it', () => {
    expect(allBoxes('\\boxed{1} or \\boxed{ 2 } or \\fbox{3}')).toEqual(['1', '2']);
  });
});

describe('windows', () => {
  it('are counted in characters, not UTF-16 units', () => {
    expect(findBox(`\\boxed{1}${'𝒙'.repeat(291)}`, box300)).toBe('1');
    expect(findBox(`\\boxed{1}${'𝒙'.repeat(292)}`, box300)).toBe(undefined);
  });

  it('are 300, then 100 characters under the strict rule', () => {
    expect(findBox(`\\boxed{1}${'y'.repeat(91)}`, dapoStrictBox100)).toBe('1');
    expect(findBox(`\\boxed{1}${'y'.repeat(92)}`, dapoStrictBox100)).toBe(undefined);
  });

  it('keep the strict rule strict', () => {
    expect(findBox('\\boxed{1} and \\boxed{2', dapoStrictBox100)).toBe(undefined);
    expect(findBox('\\boxed{ 5 }', dapoStrictBox100)).toBe(' 5 ');
    expect(findBox('\\boxed 5', dapoStrictBox100)).toBe(undefined);
    expect(findBox('\\boxed{\\}}', dapoStrictBox100)).toBe('\\');
  });
});
