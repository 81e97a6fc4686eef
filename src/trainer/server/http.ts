import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { RetoolError } from '../../lib/errors';
import { Fault } from './fault';
import type { Handler, Routes } from './routes';

export const maximumBodyBytes = 256 * 1024 * 1024;
/** Answers that are remembered for repeats of their idempotency key. */
const rememberedAnswers = 4096;
const openPath = '/api/v1/healthz';

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Pattern {
  readonly method: string;
  readonly path: RegExp;
  readonly handler: Handler;
}

/** Serves `routes` as JSON over HTTP, on loopback names only and to those who have the key. */
export function toListener(routes: Routes, key: string): RequestListener {
  const exact = new Map<string, Handler>();
  const patterns: Pattern[] = [];
  for (const [route, handler] of Object.entries(routes)) {
    if (route.includes('{')) patterns.push(toPattern(route, handler));
    else exact.set(route, handler);
  }
  const secret = Buffer.from(key);
  const answers = new Map<string, Promise<Answer>>();

  const find = (method: string, path: string): { handler: Handler; params: string[] } => {
    const handler = exact.get(`${method} ${path}`);
    if (handler) return { handler, params: [] };
    for (const pattern of patterns) {
      const match = pattern.method === method ? pattern.path.exec(path) : null;
      if (match) return { handler: pattern.handler, params: match.slice(1).map(checkedIds) };
    }
    throw new Fault(404, `There is no ${method} ${path} here.`);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<Answer> => {
    try {
      checkHost(request.headers.host);
      const url = new URL(request.url ?? '/', 'http://127.0.0.1');
      if (url.pathname !== openPath) checkKey(request.headers['x-api-key'], secret);
      const { handler, params } = find(request.method ?? 'GET', url.pathname.replace(/%2f/gi, '/'));
      const raw = await readBody(request);
      const body = raw.length > 0 ? parseJson(raw) : undefined;
      const hangUp = new AbortController();
      response.once('close', () => hangUp.abort());
      const result = await handler({ body, raw, params, query: url.searchParams, signal: hangUp.signal });
      return { status: 200, body: typeof result === 'string' ? result : JSON.stringify(result) };
    } catch (error) {
      return toAnswer(error);
    }
  };

  /** One logical call does its work once, however often its request is sent. */
  const answerOnce = async (request: IncomingMessage, response: ServerResponse): Promise<Answer> => {
    const repeatKey = request.headers['x-idempotency-key'];
    if (typeof repeatKey !== 'string' || request.url?.includes('/retrieve_future')) return answer(request, response);
    const name = `${request.url} ${request.headers['x-api-key']} ${repeatKey}`;
    const known = answers.get(name);
    if (known !== undefined) {
      request.resume();
      return known;
    }
    const fresh = answer(request, response);
    answers.set(name, fresh);
    if (answers.size > rememberedAnswers) answers.delete(answers.keys().next().value as string);
    const result = await fresh;
    if (result.status >= 400) answers.delete(name);
    return result;
  };

  return (request, response) => {
    answerOnce(request, response)
      .then(({ status, body }) => {
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
        // A client that retries conflicts by rule would only meet this one again.
        response.writeHead(status, status === 409 ? { ...headers, 'x-should-retry': 'false' } : headers);
        response.end(body);
      })
      .catch(() => response.destroy());
  };
}

function toPattern(route: string, handler: Handler): Pattern {
  const [method, path] = route.split(' ') as [string, string];
  const source = path.replace(/\{\w+\.\.\.\}/g, '(.+)').replace(/\{\w+\}/g, '([^/]+)');
  return { method, path: new RegExp(`^${source}$`), handler };
}

/** Ids become names of folders and files, so none may have a meaning there. */
function checkedIds(part: string): string {
  if (part.split('/').every((id) => /^[a-zA-Z0-9_-]{1,255}$/.test(id))) return part;
  throw new Fault(400, `${part} is not an id: ids have 1 to 255 letters, digits, dashes and underscores.`);
}

/** A page in a browser can send requests to loopback under a name of its own; they are refused by that name. */
function checkHost(host: string | undefined): void {
  const name = host?.replace(/:\d+$/, '').toLowerCase();
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return;
  throw new Fault(403, `This server answers on 127.0.0.1 only, not as ${host ?? 'a host without a name'}.`);
}

function checkKey(given: string | string[] | undefined, secret: Buffer): void {
  const bytes = Buffer.from(typeof given === 'string' ? given : '');
  if (bytes.length === secret.length && timingSafeEqual(bytes, secret)) return;
  throw new Fault(401, `The X-API-Key header ${given === undefined ? 'is missing' : 'holds another key'}.`);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const type = request.headers['content-type'] ?? '';
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (/protobuf|octet-stream|msgpack/.test(type)) throw refused(request, `This server reads JSON, not ${type}.`);
  if (encoding !== 'identity') throw refused(request, `This server reads plain JSON, not ${encoding}.`);
  const chunks: Buffer[] = [];
  let size = 0;
  // Left early, an ordinary iteration would cut the connection before the answer; Node reads the rest and drops it.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maximumBodyBytes) throw new Fault(413, `The request body is longer than ${maximumBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

function refused(request: IncomingMessage, message: string): Fault {
  request.resume();
  return new Fault(415, message);
}

function parseJson(raw: Buffer): unknown {
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch (error) {
    throw new Fault(400, `The request body is not JSON: ${(error as Error).message}.`);
  }
}

function toAnswer(error: unknown): Answer {
  const status =
    error instanceof Fault ? error.status : error instanceof RetoolError && error.code === 'data' ? 400 : 500;
  const detail = error instanceof Error ? error.message : String(error);
  return { status, body: JSON.stringify({ detail }) };
}
