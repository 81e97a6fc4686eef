import { Pool } from 'undici';
import { RetoolError, reasonOf } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
import { backoff, isPassing, type Patience, realPatience } from '../lib/patience';

/** An answer of the endpoint that is no success. */
export class EndpointError extends RetoolError {
  readonly status: number;
  /** The server's own words. */
  readonly said: string;

  constructor(url: string, status: number, said: string) {
    const where = `The endpoint ${url}`;
    const words = said.replace(/\.?$/, '.');
    const refused = status === 401 || status === 403;
    super(
      'service',
      refused
        ? `${where} refuses the key: ${words}`
        : status === 404
          ? `${where} does not know what it was asked: ${words}`
          : `${where} failed (${status}): ${words}`,
      {
        ...(refused && { hint: 'Put its key into RETOOL_ENDPOINT_KEY.' }),
        ...(status === 404 && { hint: 'Check the address, which often ends with /v1, and the name of the model.' }),
      },
    );
    this.status = status;
    this.said = said;
  }
}

export interface EndpointHttpOptions {
  /** Up to where `/chat/completions` begins. */
  readonly url: string;
  readonly key: string | undefined;
  /** Requests in flight at once. */
  readonly connections: number;
  readonly patience?: Patience | undefined;
  /** For one answer. Nothing is streamed, so this is as long as a whole turn takes. Default: half an hour. */
  readonly milliseconds?: number | undefined;
}

const tries = 6;

interface PostSettings {
  readonly isFinal?: ((error: EndpointError) => boolean) | undefined;
  readonly onRetry?: ((fault: RetoolError) => void) | undefined;
}

/** Requests to one server, whose key no other server sees: what redirects is refused. */
export class EndpointHttp {
  readonly url: string;
  private readonly pool: Pool;
  private readonly prefix: string;
  private readonly key: string | undefined;
  private readonly patience: Patience;
  private readonly milliseconds: number;

  constructor({ url, key, connections, patience = realPatience, milliseconds = 1_800_000 }: EndpointHttpOptions) {
    const { origin, pathname } = new URL(url);
    this.url = url;
    this.prefix = pathname.replace(/\/$/, '');
    this.key = key;
    this.patience = patience;
    this.milliseconds = milliseconds;
    this.pool = new Pool(origin, { connections, connect: { timeout: 10_000 } });
  }

  /**
   * Posts, again after lost connections, 408, 429 and 5xx, waiting as long as the server asks.
   *
   * @param settings.isFinal true for an answer that no other try betters, whatever its status.
   * @param settings.onRetry is told of each failure after which it is asked again.
   * @throws EndpointError for an answer that is no success; RetoolError `service` where there is none.
   */
  async post(
    path: string,
    body: object,
    signal: AbortSignal,
    { isFinal, onRetry }: PostSettings = {},
  ): Promise<unknown> {
    const text = JSON.stringify(body);
    for (let attempt = 0; ; attempt++) {
      const answer = await this.send(path, text, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return this.unreachable(error);
      });
      const isAnswer = !(answer instanceof RetoolError);
      const fault = isAnswer ? this.faultOf(answer) : answer;
      if (isAnswer && !fault) return parseJson(answer.text);
      const again = !(fault instanceof EndpointError) || (isPassing(fault.status) && !isFinal?.(fault));
      if (!again || attempt + 1 >= tries) throw fault;
      onRetry?.(fault!);
      const wait = backoff(attempt, isAnswer ? answer.headers : undefined, this.patience);
      await this.patience.sleep(wait, signal).catch(() => signal.throwIfAborted());
    }
  }

  /** Undefined for an answer that holds what was asked for. */
  private faultOf({ status, headers, text }: Awaited<ReturnType<EndpointHttp['send']>>): EndpointError | undefined {
    const wrong = (said: string) => new EndpointError(this.url, status, said);
    if (status >= 400) return wrong(this.safe(saidIn(text)));
    if (status >= 300) {
      const to = this.safe(String(headers.location ?? 'another address'));
      return wrong(`it sends to ${to}, and a key is sent to one server alone`);
    }
    const value = parseJson(text);
    return typeof value === 'object' && value !== null ? undefined : wrong('it answers, but not with JSON');
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }

  private async send(path: string, body: string, signal: AbortSignal) {
    const {
      statusCode,
      headers,
      body: answer,
    } = await this.pool.request({
      method: 'POST',
      path: this.prefix + path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(this.key !== undefined && { authorization: `Bearer ${this.key}` }),
      },
      body,
      signal,
      headersTimeout: this.milliseconds,
      bodyTimeout: this.milliseconds,
    });
    return { status: statusCode, headers, text: await answer.text() };
  }

  private unreachable(error: unknown): RetoolError {
    const timeout = error instanceof Error && error.name.endsWith('TimeoutError');
    const reason = timeout ? 'it does not answer in time' : reasonOf(error);
    return new RetoolError('service', `The endpoint ${this.url} cannot be reached: ${reason}.`, {
      hint: 'Check that it runs and that the address is right.',
      cause: error,
    });
  }

  /** A server may repeat the key that it refuses. */
  private safe(text: string): string {
    return this.key ? text.replaceAll(this.key, '…') : text;
  }
}

/** What a server says of an error, in whichever of the shapes that there are: OpenAI's, Ollama's, vLLM's, FastAPI's. */
export function saidIn(text: string): string {
  const found = sentenceIn(parseJson(text));
  const plain = text
    .replaceAll(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (found ?? plain).slice(0, 400).trim() || 'it gave no reason';
}

function sentenceIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const all = value.flatMap((each) => sentenceIn(each) ?? []);
    return all.length > 0 ? all.join('; ') : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const place = Array.isArray(fields.loc) ? `${fields.loc.join('.')}: ` : '';
  for (const key of ['error', 'detail', 'message', 'msg', 'reason']) {
    const said = sentenceIn(fields[key]);
    if (said !== undefined) return place + said;
  }
  return undefined;
}
