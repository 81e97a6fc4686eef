import { RetoolError } from '../lib/errors';
import { missingClosing } from '../protocols/closing';
import type { ChatTemplate, Message, RenderOptions } from './chatTemplate';
import type { ModelTokenizer } from './modelTokenizer';

/** Stands in for the model's words, which are never rendered: a template may split, trim or drop them. */
const standIn = 'MODEL_WORDS';

export type ConversationOptions = Pick<RenderOptions, 'tools' | 'enableThinking'>;

/** The text around the model's turns, as its chat template writes it. */
export class Conversation {
  private readonly template: ChatTemplate;
  private readonly options: ConversationOptions;

  constructor(template: ChatTemplate, options: ConversationOptions = {}) {
    this.template = template;
    this.options = options;
  }

  render(messages: readonly Message[], addGenerationPrompt: boolean): string {
    return this.template.render(messages, { ...this.options, addGenerationPrompt });
  }

  /** Text behind the model's words up to the end of its turn: the token that ends it, and what templates put after that. */
  closing(before: readonly Message[]): string {
    return this.behind([...before, { role: 'assistant', content: standIn }], false);
  }

  /**
   * Text that follows a turn of the model when tools have answered it, from its closing to the header of the next turn.
   * All results of a turn are rendered together, for templates join them in one turn.
   *
   * @throws RetoolError `config` when the template closes the turn otherwise once a result follows.
   */
  increment(
    before: readonly Message[],
    results: readonly string[],
  ): { readonly closing: string; readonly rest: string } {
    const closing = this.closing(before);
    const tools = results.map((content) => ({ role: 'tool', content }) as const);
    const whole = this.behind([...before, { role: 'assistant', content: standIn }, ...tools], true);
    if (whole.startsWith(closing)) return { closing, rest: whole.slice(closing.length) };
    throw new RetoolError('config', 'The chat template ends a turn differently once a tool has answered it.', {
      hint: `It ends with ${JSON.stringify(closing)} alone, and with ${JSON.stringify(whole.slice(0, closing.length))} before a result.`,
    });
  }

  private behind(messages: readonly Message[], addGenerationPrompt: boolean): string {
    const text = this.render(messages, addGenerationPrompt);
    const at = text.lastIndexOf(standIn);
    if (at < 0) throw new RetoolError('config', "The chat template leaves out the model's last words.");
    return text.slice(at + standIn.length);
  }
}

/**
 * The same in ids: prompts and increments of a rollout, to which the sampler's own ids are joined.
 *
 * What a person asks or an interpreter prints never becomes a control token, whatever it spells.
 */
export class TokenConversation {
  private readonly conversation: Conversation;
  private readonly tokenizer: ModelTokenizer;

  constructor(conversation: Conversation, tokenizer: ModelTokenizer) {
    this.conversation = conversation;
    this.tokenizer = tokenizer;
  }

  prompt(messages: readonly Message[]): number[] {
    const guard = guardFor(messages.map(({ content }) => content));
    return this.tokenizer.encodeGuarded(this.conversation.render(this.guarded(messages, guard), true), guard);
  }

  /** @param tokens of the turn, as sampled: closing tokens that it lacks are added, those it has are not. */
  continuation(before: readonly Message[], tokens: readonly number[], results: readonly string[]): number[] {
    const guard = guardFor([...before.map(({ content }) => content), ...results]);
    const shown = results.map((result) => this.tokenizer.guarded(result, guard));
    const { closing, rest } = this.conversation.increment(this.guarded(before, guard), shown);
    return [
      ...missingClosing(tokens, this.tokenizer.encodeMarkup(closing)),
      ...this.tokenizer.encodeGuarded(rest, guard),
    ];
  }

  /** Words of the model are structure, for a thought has its markers; all others are text. */
  private guarded(messages: readonly Message[], guard: string): Message[] {
    return messages.map((message) =>
      message.role === 'assistant' ? message : { ...message, content: this.tokenizer.guarded(message.content, guard) },
    );
  }
}

/** A character of the private use area that none of the texts holds. */
function guardFor(texts: readonly string[]): string {
  for (let code = 0xe000; code < 0xf8ff; code++) {
    const guard = String.fromCharCode(code);
    if (!texts.some((text) => text.includes(guard))) return guard;
  }
  throw new RetoolError('data', 'The texts use every character of the private use area.');
}

/**
 * Position of the first token at which `next` departs from what was sampled on, or -1.
 *
 * @param sequence prompt and sampled tokens so far.
 */
export function brokenAt(sequence: readonly number[], next: readonly number[]): number {
  return sequence.findIndex((token, i) => next[i] !== token);
}
