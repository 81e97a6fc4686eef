/** Tokens of the tiny tokenizer that no plain text yields, by their ids. */
export const tinyAdded = ['<|im_start|>', '<|im_end|>', '<tool_call>', '</tool_call>', '<think>', '</think>'];

/** The characters in which byte-level tokenizers spell bytes. */
function byteCharacters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : next++);
  });
}

/** A `tokenizer.json`: bytes 0 to 255, the merged `he`, `ll`, `hell`, `hello`, then the added tokens. */
export function tinyTokenizer(): object {
  const merged = ['he', 'll', 'hell', 'hello'];
  const vocab = Object.fromEntries([...byteCharacters(), ...merged].map((token, id) => [token, id]));
  return {
    version: '1.0',
    added_tokens: tinyAdded.map((content, i) => ({
      id: 260 + i,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true },
    post_processor: null,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: ['h e', 'l l', 'he ll', 'hell o'], byte_fallback: false },
  };
}
