import { Tokenizer as Library } from '@huggingface/tokenizers';
import { RetoolError } from '../lib/errors';
import type { Tokenizer } from '../rl/ports';

interface TokenizerJson {
  readonly added_tokens?: readonly { readonly id: number; readonly content: string }[];
  readonly model?: unknown;
}

const plainly = { add_special_tokens: false } as const;
const asItStands = { skip_special_tokens: false, clean_up_tokenization_spaces: false } as const;

/** The tokenizer of a model: what its `tokenizer.json` says, with the same ids as the Rust library gives. */
export class ModelTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  private readonly marked: Library;
  /** Knows no added token, so that text which spells one is text. */
  private readonly plain: Library;
  private readonly added: ReadonlyMap<string, number>;
  private readonly addedPattern: RegExp | undefined;

  /** @throws RetoolError `config` when `json` is no tokenizer. */
  constructor(json: unknown, config: unknown = {}) {
    const { added_tokens: added = [], model } = (json ?? {}) as TokenizerJson;
    if (model === undefined) throw unreadable('it has no model');
    try {
      this.marked = new Library(json as object, config as object);
      this.plain = new Library({ ...(json as object), added_tokens: [] }, config as object);
    } catch (error) {
      throw unreadable(error instanceof Error ? error.message : String(error));
    }
    this.added = new Map(added.map(({ content, id }) => [content, id]));
    // The longest first, where one begins another.
    const names = [...this.added.keys()].sort((a, b) => b.length - a.length).map(escaped);
    this.addedPattern = names.length > 0 ? new RegExp(`(${names.join('|')})`) : undefined;
    let largest = -1;
    for (const id of this.marked.get_vocab(true).values()) largest = Math.max(largest, id);
    this.vocabularySize = largest + 1;
  }

  encode(text: string): number[] {
    return text === '' ? [] : this.plain.encode(text, plainly).ids;
  }

  /** Ids of text in which added tokens count as such: a template's, never a person's or an interpreter's. */
  encodeMarkup(text: string): number[] {
    return text === '' ? [] : this.marked.encode(text, plainly).ids;
  }

  /**
   * Ids of a template's text that holds text of others, in which `guard` parts whatever spells an added token. What lies
   * between two added tokens is encoded as a whole, as it is in training.
   */
  encodeGuarded(text: string, guard: string): number[] {
    const pieces = this.addedPattern ? text.split(this.addedPattern) : [text];
    return pieces.flatMap((piece, i) =>
      i % 2 === 1 ? this.added.get(piece)! : this.encode(piece.replaceAll(guard, '')),
    );
  }

  /** `text` with `guard` inside whatever spells an added token. */
  guarded(text: string, guard: string): string {
    if (!this.addedPattern) return text;
    return text
      .split(this.addedPattern)
      .map((piece, i) => (i % 2 === 1 ? `${piece.slice(0, 1)}${guard}${piece.slice(1)}` : piece))
      .join('');
  }

  /** @throws RetoolError `data` when an id is not of this vocabulary: the library would leave it out without a word. */
  decode(ids: readonly number[]): string {
    if (ids.length === 0) return '';
    const foreign = ids.find((id) => this.marked.id_to_token(id) === undefined);
    if (foreign !== undefined) {
      throw new RetoolError('data', `The token ${foreign} is not in the vocabulary of ${this.vocabularySize} tokens.`);
    }
    return this.marked.decode([...ids], asItStands);
  }

  control(name: string): number {
    const id = this.added.get(name);
    if (id !== undefined) return id;
    throw new RetoolError('config', `The tokenizer has no control token ${JSON.stringify(name)}.`, {
      hint: `It has ${[...this.added.keys()].slice(0, 12).join(' ')}.`,
    });
  }

  isAdded(id: number): boolean {
    const token = this.marked.id_to_token(id);
    return token !== undefined && this.added.get(token) === id;
  }

  /** Text of ids as they come, without the broken characters of a token that ends within one. */
  stream(): { push(id: number): string; end(): string } {
    const ids: number[] = [];
    let from = 0;
    let told = 0;
    // Text is told up to `told`; it is decoded from `from`, the token before, for what stands before a token may count.
    const step = (isLast: boolean): string => {
      const text = this.decode(ids.slice(from));
      if (!isLast && text.endsWith('\ufffd')) return '';
      const known = this.decode(ids.slice(from, told)).length;
      from = told;
      told = ids.length;
      return text.slice(known);
    };
    return {
      push: (id) => {
        ids.push(id);
        return step(false);
      },
      end: () => step(true),
    };
  }
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

const unreadable = (reason: string) =>
  new RetoolError('config', `The tokenizer cannot be read: ${reason.replace(/\.$/, '')}.`, {
    hint: "Give the tokenizer.json of a model, as Hugging Face's tokenizers write it.",
  });
