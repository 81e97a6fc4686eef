import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { HubSource } from './hubSource';

type Server = Extract<HubSource, { url: string }>;

/** One answer of a hub or of whoever it sends on to. */
export interface HubAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: Dispatcher.ResponseData['body'];
}

const connectMilliseconds = 15_000;
const answerMilliseconds = 60_000;

let shared: Dispatcher | undefined;
/** Goes by the proxies that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name. */
const dispatcher = (): Dispatcher => {
  shared ??= new EnvHttpProxyAgent({ connect: { timeout: connectMilliseconds }, keepAliveTimeout: 4_000 });
  return shared;
};

/**
 * Asks once and follows no redirect.
 *
 * @param token sent to the host of `server` alone, and in the clear to this machine alone.
 * @throws what undici says where there is no answer.
 */
export async function ask(
  server: Server,
  url: URL,
  token: string | undefined,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<HubAnswer> {
  const own = url.origin === new URL(server.url).origin && (url.protocol === 'https:' || isLoopback(url));
  const {
    statusCode,
    headers: told,
    body,
  } = await request(url, {
    method: 'GET',
    headers: {
      'user-agent': 'retool-lab',
      'accept-encoding': 'identity',
      ...(own && token !== undefined && tokenHeaders(server, token)),
      ...headers,
    },
    signal,
    dispatcher: dispatcher(),
    headersTimeout: answerMilliseconds,
    bodyTimeout: answerMilliseconds,
  });
  return { url, status: statusCode, headers: told, body };
}

/** Older parts of ModelScope know a session's cookie alone. */
const tokenHeaders = ({ kind }: Server, token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
  ...(kind === 'modelScope' && { cookie: `m_session_id=${token}` }),
});

const isLoopback = ({ hostname }: URL): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);

/** Where an answer sends on to, or undefined. */
export function redirectOf({ url, status, headers }: HubAnswer): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return undefined;
  return URL.canParse(location, url.href) ? new URL(location, url) : undefined;
}

/** A header that is given once. */
export function headerOf({ headers }: HubAnswer, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Reads a short answer. */
export async function textOf({ body }: HubAnswer, most = 4 << 20): Promise<string> {
  let text = '';
  body.setEncoding('utf8');
  for await (const piece of body) {
    text += piece as string;
    if (text.length > most) break;
  }
  return text;
}
