import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a scripted service got. */
export interface SeenRequest {
  readonly path: string;
  readonly body: unknown;
  readonly headers: IncomingMessage['headers'];
}

/** `hangUp` breaks the connection, `silence` never answers. */
export type ScriptedReply =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly body?: unknown;
      readonly text?: string;
    }
  | 'hangUp'
  | 'silence';

/** An answer, or what makes one of a request. */
export type Script = ScriptedReply | ((request: SeenRequest) => ScriptedReply);

/** A service that answers from a script, for what a well-behaved one never does. */
export class ScriptedHttp {
  readonly seen: SeenRequest[] = [];
  private readonly server: Server;
  private readonly replies = new Map<string, Script[]>();

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<ScriptedHttp> {
    const http = new ScriptedHttp();
    http.script('/api/v1/client/config', {});
    http.script('/api/v1/get_server_capabilities', {
      body: { supported_models: [{ model_name: 'm', max_context_length: 64 }] },
    });
    http.script('/api/v1/create_session', { body: { session_id: 'S' } });
    http.script('/api/v1/create_model', { body: { request_id: 'made' } });
    http.script('/api/v1/retrieve_future', { body: { model_id: 'M' } });
    await new Promise<void>((resolve) => http.server.listen(0, '127.0.0.1', resolve));
    return http;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Answers in turn; the last one stays. */
  script(path: string, ...replies: Script[]): void {
    this.replies.set(path, replies);
  }

  requests(path: string): SeenRequest[] {
    return this.seen.filter((request) => request.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url ?? '';
    const seen = { path, body: text ? JSON.parse(text) : undefined, headers: request.headers };
    this.seen.push(seen);
    const script = this.replies.get(path) ?? [{ status: 404, body: { detail: 'no script' } }];
    const next = script.length > 1 ? script.shift()! : script[0]!;
    const reply = typeof next === 'function' ? next(seen) : next;
    if (reply === 'silence') return;
    if (reply === 'hangUp') {
      response.destroy();
      return;
    }
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    response.end(reply.text ?? JSON.stringify(reply.body ?? {}));
  }
}
