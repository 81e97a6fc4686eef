import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { EndpointError, type EndpointHttp } from './endpointHttp';

/** A message of a conversation, as the wire has it. */
export type ChatMessage =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string | null; readonly tool_calls?: readonly WireCall[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

const WireCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.union([z.string(), z.looseObject({})]).nullish() }),
});
type WireCall = z.infer<typeof WireCall>;

const Usage = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int() });
const choice = { finish_reason: z.string().nullish(), stop_reason: z.union([z.string(), z.int()]).nullish() };
const ChatReply = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        ...choice,
        message: z.looseObject({
          content: z.string().nullish(),
          reasoning_content: z.string().nullish(),
          reasoning: z.string().nullish(),
          tool_calls: z.array(WireCall).nullish(),
        }),
      }),
    )
    .min(1),
  usage: Usage.nullish(),
});
const TextReply = z.looseObject({
  choices: z.array(z.looseObject({ ...choice, text: z.string() })).min(1),
  usage: Usage.nullish(),
});

/** One turn of the model. */
export interface EndpointReply {
  /** Without the thought. */
  readonly text: string;
  readonly thought: string | undefined;
  readonly calls: readonly WireCall[];
  /** `context`: there was no room for it. `filter`: a filter of the server withheld the answer, or a part of it. */
  readonly stop: 'stop' | 'length' | 'context' | 'filter';
  /** The text that stopped it, where the server tells; null where it tells that none did. */
  readonly stoppedBy: string | null | undefined;
  /** Tokens; undefined where the server counts none. */
  readonly usage: { readonly prompt: number; readonly sampled: number } | undefined;
}

export interface EndpointSampling {
  readonly temperature: number;
  readonly topP: number;
  /** -1 is off. */
  readonly topK: number;
}

export interface EndpointRequest {
  readonly maxTokens: number;
  readonly seed: number;
  readonly stop?: readonly string[] | undefined;
  /** Undefined offers none; `none` offers them and lets none be called. */
  readonly tools?: 'auto' | 'none' | undefined;
}

/** What a server was found to take. */
interface Abilities {
  readonly seeds: boolean;
  readonly limit: 'max_tokens' | 'max_completion_tokens';
}

const tool = (name: string) => ({
  type: 'function',
  function: {
    name,
    description: 'Runs a complete Python program and returns what it prints.',
    parameters: {
      type: 'object',
      properties: { code: { type: 'string', description: 'The program.' } },
      required: ['code'],
    },
  },
});

/** A model behind an OpenAI-compatible endpoint. One sample is one request: `n` is never asked for. */
export class EndpointModel {
  readonly name: string;
  private readonly http: EndpointHttp;
  private readonly sampling: EndpointSampling;
  private readonly toolName: string;
  private abilities: Abilities = { seeds: true, limit: 'max_tokens' };

  constructor(http: EndpointHttp, name: string, sampling: EndpointSampling, toolName: string) {
    this.http = http;
    this.name = name;
    this.sampling = sampling;
    this.toolName = toolName;
  }

  get seeds(): boolean {
    return this.abilities.seeds;
  }

  chat(messages: readonly ChatMessage[], request: EndpointRequest, signal: AbortSignal): Promise<EndpointReply> {
    return this.ask('/chat/completions', { messages }, request, signal);
  }

  complete(prompt: string, request: EndpointRequest, signal: AbortSignal): Promise<EndpointReply> {
    return this.ask('/completions', { prompt }, request, signal);
  }

  /**
   * Finds out, with a request of a few tokens, what the server takes.
   *
   * @param onRetry is told of each failure after which it is asked again.
   * @returns what a person should know of it, a sentence each.
   * @throws RetoolError `service` or `config` in one sentence where it cannot be evaluated so.
   */
  async probe(
    api: 'chat' | 'completions',
    request: EndpointRequest,
    signal: AbortSignal,
    onRetry?: (fault: RetoolError) => void,
  ): Promise<string[]> {
    const path = api === 'chat' ? '/chat/completions' : '/completions';
    const words = 'Say the number one.';
    const content = api === 'chat' ? { messages: [{ role: 'user', content: words }] } : { prompt: words };
    const told: string[] = [];
    // What a server says of a request that it will never take may come with a status that passes, such as 500.
    const isFinal = (error: EndpointError) =>
      this.without(error, []) !== undefined || this.explained(error, api, request) !== error;
    for (;;) {
      try {
        const body = this.bodyOf(content, { ...request, maxTokens: 8 });
        const reply = replyOf(await this.http.post(path, body, signal, { isFinal, onRetry }), this.http.url);
        if (!reply.usage) told.push(`${this.http.url} counts no tokens: lengths and budgets of tokens are not known.`);
        return told;
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        const next = this.without(error, told);
        if (!next) throw this.explained(error, api, request);
        this.abilities = next;
      }
    }
  }

  /** What to leave out of the next try, if that is what the server complains of. */
  private without({ status, said }: EndpointError, told: string[]): Abilities | undefined {
    const { seeds, limit } = this.abilities;
    if (status !== 400 && status !== 422 && status !== 501) return undefined;
    if (limit === 'max_tokens' && /max_completion_tokens/.test(said)) {
      return { seeds, limit: 'max_completion_tokens' };
    }
    if (seeds && /\bseed\b/i.test(said)) {
      told.push(`${this.http.url} takes no seed: its samples cannot be drawn again.`);
      return { seeds: false, limit };
    }
    return undefined;
  }

  private explained(error: EndpointError, api: 'chat' | 'completions', request: EndpointRequest): RetoolError {
    const { status, said } = error;
    const { url } = this.http;
    const wrong = (message: string, hint: string) =>
      new RetoolError('config', `${message}: ${said.replace(/\.?$/, '.')}`, { hint, cause: error });
    if (status === 401 || status === 403 || status === 429) return error;
    if (request.tools && /tool|function/i.test(said)) {
      return wrong(`${url} takes no tools`, 'Start it with tool calls, or evaluate with --tools text.');
    }
    if (/top_k/i.test(said)) return wrong(`${url} takes no top_k`, 'Evaluate without --top-k.');
    if (api === 'completions' && (status === 404 || status === 405)) {
      return wrong(`${url} has no /completions`, 'Evaluate with --api chat.');
    }
    return error;
  }

  private async ask(
    path: string,
    content: object,
    request: EndpointRequest,
    signal: AbortSignal,
  ): Promise<EndpointReply> {
    try {
      return replyOf(await this.http.post(path, this.bodyOf(content, request), signal), this.http.url);
    } catch (error) {
      const stop = error instanceof EndpointError ? stopIn(error) : undefined;
      if (!stop) throw error;
      return { text: '', thought: undefined, calls: [], stop, stoppedBy: undefined, usage: undefined };
    }
  }

  private bodyOf(content: object, { maxTokens, seed, stop, tools }: EndpointRequest): object {
    const { temperature, topP, topK } = this.sampling;
    const { seeds, limit } = this.abilities;
    return {
      model: this.name,
      ...content,
      temperature,
      top_p: topP,
      ...(topK > 0 && { top_k: topK }),
      [limit]: maxTokens,
      stream: false,
      ...(seeds && { seed: seed >>> 1 }),
      ...(stop && stop.length > 0 && { stop }),
      ...(tools && { tools: [tool(this.toolName)], tool_choice: tools }),
    };
  }
}

/** There are no two servers that say it alike. */
const isTooLong = ({ status, said }: EndpointError): boolean =>
  (status === 400 || status === 413 || status === 422 || status === 500) &&
  /context.{0,20}(length|size|window)|maximum (context|model|sequence)|max_model_len|too long|exceeds? the (available )?context/i.test(
    said,
  );

/** An error that is an answer: there is no room, or the prompt was filtered (Azure's `content_filter`). */
function stopIn(error: EndpointError): EndpointReply['stop'] | undefined {
  if (isTooLong(error)) return 'context';
  return error.status === 400 && /content[ _-]?(filter|management)/i.test(error.said) ? 'filter' : undefined;
}

const stopOf = (reason: string | null | undefined): EndpointReply['stop'] =>
  reason === 'length' ? 'length' : reason === 'content_filter' ? 'filter' : 'stop';

function replyOf(value: unknown, url: string): EndpointReply {
  const chat = ChatReply.safeParse(value);
  if (chat.success) {
    const [{ message, finish_reason, stop_reason }] = chat.data.choices as [(typeof chat.data.choices)[number]];
    return {
      text: message.content ?? '',
      thought: message.reasoning_content || message.reasoning || undefined,
      calls: message.tool_calls ?? [],
      stop: stopOf(finish_reason),
      stoppedBy: typeof stop_reason === 'number' ? null : stop_reason,
      usage: usageOf(chat.data.usage),
    };
  }
  const text = TextReply.safeParse(value);
  if (text.success) {
    const [{ text: words, finish_reason, stop_reason }] = text.data.choices as [(typeof text.data.choices)[number]];
    return {
      text: words,
      thought: undefined,
      calls: [],
      stop: stopOf(finish_reason),
      stoppedBy: typeof stop_reason === 'number' ? null : stop_reason,
      usage: usageOf(text.data.usage),
    };
  }
  const [issue] = chat.error.issues;
  throw new RetoolError(
    'service',
    `The endpoint ${url} answers in a way that cannot be read: ${issue?.path.join('.')}: ${issue?.message}.`,
    { hint: 'It has to speak as /v1/chat/completions of OpenAI does.' },
  );
}

const usageOf = (usage: z.infer<typeof Usage> | null | undefined): EndpointReply['usage'] =>
  usage ? { prompt: usage.prompt_tokens, sampled: usage.completion_tokens } : undefined;
