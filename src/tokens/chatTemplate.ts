import { Template } from '@huggingface/jinja';
import { RetoolError } from '../lib/errors';

/** A message as chat templates take it. Arguments of calls are objects: templates walk through them. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly type: 'function';
    readonly function: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> };
  }[];
}

export interface RenderOptions {
  readonly tools?: readonly unknown[] | undefined;
  /** Ends with the header of the model's turn. */
  readonly addGenerationPrompt?: boolean;
  /** Read by templates of models that think; others do not mind it. */
  readonly enableThinking?: boolean | undefined;
}

/**
 * A model's chat template, rendered as `transformers` renders it with Jinja2: blocks trimmed, loop controls, `tojson`
 * without escapes.
 *
 * Trap: JavaScript cannot tell 1.0 from 1, so that `tojson` prints such a number without its fraction.
 */
export class ChatTemplate {
  private readonly template: Template;
  /** The template knows of thoughts between `<think>` and `</think>`. */
  readonly thinks: boolean;

  /** @throws RetoolError `config` when the text is no template. */
  constructor(source: string) {
    this.thinks = source.includes('</think>');
    try {
      this.template = new Template(source);
    } catch (error) {
      // The parser runs over the end of a text whose last block is open.
      const why = error instanceof TypeError ? 'a block or an expression in it does not end.' : messageOf(error);
      throw new RetoolError('config', `The chat template cannot be read: ${why}`, {
        hint: 'It has to be a Jinja template, as chat_template.jinja or tokenizer_config.json of a model holds it.',
        cause: error,
      });
    }
  }

  /** @throws RetoolError `data` with the template's own words when it refuses the conversation. */
  render(messages: readonly Message[], options: RenderOptions = {}): string {
    const { tools, addGenerationPrompt = false, enableThinking } = options;
    try {
      return this.template.render({
        messages,
        add_generation_prompt: addGenerationPrompt,
        ...(tools && { tools }),
        ...(enableThinking !== undefined && { enable_thinking: enableThinking }),
      });
    } catch (error) {
      throw new RetoolError('data', `The chat template refuses the conversation: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.?$/, '.');
