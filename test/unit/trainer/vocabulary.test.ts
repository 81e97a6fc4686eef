import { describe, expect, it } from 'vitest';
import { localVocabulary, stopSequences } from '../../../src/trainer/vocabulary';

const { encode, decode, control } = localVocabulary;

describe('the local vocabulary', () => {
  it('gives any text back', () => {
    const text = 'print(47*86) é 漢 🙂 \\boxed{4042}\ufeff';
    expect(decode(encode(text))).toBe(text);
  });

  it('never makes a control token of text that spells one', () => {
    const ids = encode('<|im_start|>user<tool_call>');
    expect(ids.every((id) => id < 256)).toBe(true);
    expect(decode([control('<|im_start|>'), control('user')])).toBe('<|im_start|>user');
  });

  it('has one token for the beginning of a box', () => {
    expect(encode('\\boxed{7}')).toHaveLength(3);
  });

  it('shows broken UTF-8 as replacement characters, also at a control token', () => {
    expect(decode([0xe6, 0xbc, control('<|im_end|>'), 0x41])).toBe('\ufffd<|im_end|>A');
  });

  it('names the control token that it does not have', () => {
    expect(() => control('<think>')).toThrow('The local model has no control token "<think>".');
  });

  it('is as large as its highest id needs, in whole vectors', () => {
    expect(localVocabulary.vocabularySize % 16).toBe(0);
    expect(Math.max(...encode('\\boxed{'))).toBeLessThan(localVocabulary.vocabularySize);
  });

  it('reads what stops a turn: ids, control tokens by their names, texts by their bytes', () => {
    expect(stopSequences([5, 6])).toEqual([[5], [6]]);
    expect(stopSequences(['</code>', '<|im_end|>'])).toEqual([encode('</code>'), [control('<|im_end|>')]]);
    expect(stopSequences('ab')).toEqual([[97, 98]]);
  });
});
