import { type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { RetoolError } from '../lib/errors';
import { HubBody } from './hubBody';
import type { HubServer } from './hubSource';

/** One answer of a hub or of whoever it sends on to. */
export interface HubAnswer {
  readonly url: URL;
  readonly status: number;
  readonly headers: Dispatcher.ResponseData['headers'];
  readonly body: HubBody;
}

const connectMilliseconds = 15_000;
/** Without a byte, before an answer as within it. */
export const silentSeconds = 30;

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
 * @throws RetoolError for a token that is none; what undici says where there is no answer.
 */
export async function ask(
  server: HubServer,
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
    headersTimeout: silentSeconds * 1000,
    bodyTimeout: silentSeconds * 1000,
  });
  return { url, status: statusCode, headers: told, body: new HubBody(body) };
}

/** Older parts of ModelScope know a session's cookie alone. */
function tokenHeaders({ kind }: HubServer, token: string): Record<string, string> {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new RetoolError('config', 'The token of the hub holds a space, a line break or a letter that no token has.', {
      hint: "Copy it anew into HF_TOKEN, in VS Code by 'Set Hub Token'.",
    });
  }
  return { authorization: `Bearer ${token}`, ...(kind === 'modelScope' && { cookie: `m_session_id=${token}` }) };
}

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
