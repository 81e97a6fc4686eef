import { RetoolError } from '../lib/errors';
import type { Tokenizer } from '../rl/ports';

const bytes = 256;
const controls = [
  '<|im_start|>',
  '<|im_end|>',
  'user',
  'assistant',
  'tool',
  '<tool_call>',
  '</tool_call>',
  '<tool_response>',
  '</tool_response>',
];
const box = '\\boxed{';
const boxId = bytes + controls.length;
/** The next multiple of 16: rows of the embedding fill whole vectors. The ids left over are never used. */
const size = 272;

const encoder = new TextEncoder();

/**
 * The local policy's vocabulary: ids 0 to 255 are bytes of UTF-8, 256 to 264 the control tokens, 265 is `\boxed{`, which
 * is ordinary text, and 266 to 271 are unused.
 */
export const localVocabulary: Tokenizer = {
  vocabularySize: size,

  encode(text) {
    const ids: number[] = [];
    for (const [index, part] of text.split(box).entries()) {
      if (index > 0) ids.push(boxId);
      for (const byte of encoder.encode(part)) ids.push(byte);
    }
    return ids;
  },

  decode(ids) {
    let text = '';
    let run: number[] = [];
    const flush = () => {
      if (run.length > 0) text += new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(run));
      run = [];
    };
    for (const id of ids) {
      if (id >= 0 && id < bytes) {
        run.push(id);
        continue;
      }
      flush();
      text += id === boxId ? box : (controls[id - bytes] ?? `<|unused_${id}|>`);
    }
    flush();
    return text;
  },

  control(name) {
    const index = controls.indexOf(name);
    if (index >= 0) return bytes + index;
    throw new RetoolError('config', `The local model has no control token ${JSON.stringify(name)}.`, {
      hint: `It has ${controls.join(' ')}.`,
    });
  },
};

/** What ends a turn, as ids. A text that is the name of a control token is that token; any other is plain text. */
export function stopSequences(stop: string | readonly number[] | readonly string[]): number[][] {
  const all = typeof stop === 'string' ? [stop] : stop;
  return all.map((each) => {
    if (typeof each === 'number') return [each];
    return controls.includes(each) ? [localVocabulary.control(each)] : localVocabulary.encode(each);
  });
}
