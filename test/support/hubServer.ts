import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a hub or its CDN was asked. */
export interface HubRequest {
  readonly host: 'hub' | 'cdn';
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

interface Blob {
  bytes: Buffer;
  /** In LFS: sent by the CDN, and named by its SHA-256. */
  readonly lfs: boolean;
}

export const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const gitSha1 = (bytes: Buffer): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');

/**
 * A hub on loopback that behaves as Hugging Face and ModelScope do: files of LFS are redirected to another host, ETags,
 * ranges, `X-Repo-Commit`, lists of files, gates. What a well-behaved one never does is scripted by `next`.
 */
export class HubServer {
  readonly seen: HubRequest[] = [];
  commit = 'c'.repeat(40);
  /** Repositories that only whoever has this token may read, by their id. */
  readonly gated = new Map<string, string>();
  /** Answers that come before the true ones, of the CDN and of the hub, in turn. */
  readonly next: ((host: HubRequest['host'], request: IncomingMessage, response: ServerResponse) => boolean)[] = [];
  /** Bytes after which a connection is closed, each time. */
  mostPerConnection = Number.POSITIVE_INFINITY;
  private readonly repositories = new Map<string, Map<string, Blob>>();
  private readonly hub: Server;
  private readonly cdn: Server;

  private constructor() {
    this.hub = createServer((request, response) => this.answer('hub', request, response));
    this.cdn = createServer((request, response) => this.answer('cdn', request, response));
  }

  static async start(): Promise<HubServer> {
    const server = new HubServer();
    await new Promise<void>((resolve) => server.hub.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => server.cdn.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return addressOf(this.hub);
  }

  /** @param repository `datasets/OWNER/NAME` or `models/OWNER/NAME`. */
  put(repository: string, path: string, content: string | Buffer, lfs = true): void {
    const files = this.repositories.get(repository) ?? new Map<string, Blob>();
    files.set(path, { bytes: Buffer.from(content), lfs });
    this.repositories.set(repository, files);
  }

  of(host: HubRequest['host']): HubRequest[] {
    return this.seen.filter((request) => request.host === host);
  }

  async close(): Promise<void> {
    for (const server of [this.hub, this.cdn]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  private answer(host: HubRequest['host'], request: IncomingMessage, response: ServerResponse): void {
    this.seen.push({ host, path: request.url ?? '', headers: request.headers });
    if (this.next[0]?.(host, request, response)) {
      this.next.shift();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://hub');
    if (host === 'cdn') {
      this.send(request, response, this.blobOf(url.pathname.slice(1)));
      return;
    }
    const scope =
      /^\/api\/v1\/(models|datasets)\/([^/]+\/[^/]+)\/repo(\/tree|\/files)?$/.exec(url.pathname) ??
      /^\/api\/(models|datasets)\/([^/]+\/[^/]+)\/(tree)\//.exec(url.pathname);
    const file = /^\/(datasets\/)?([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname);
    const [kind, id] = scope ? [scope[1]!, scope[2]!] : file ? [file[1] ? 'datasets' : 'models', file[2]!] : ['', ''];
    const files = this.repositories.get(`${kind}/${id}`);
    const token = this.gated.get(id);
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
      end(response, 401, { 'x-error-code': 'GatedRepo' });
      return;
    }
    if (!files) {
      end(response, 401, { 'x-error-code': 'RepoNotFound' });
      return;
    }
    if (scope?.[3] !== undefined) {
      this.list(response, url, files);
      return;
    }
    if (scope) {
      this.offer(request, response, files.get(url.searchParams.get('FilePath') ?? ''), false);
      return;
    }
    const revision = decodeURIComponent(file![3]!);
    const isKnown = ['main', 'v1', 'refs/pr/1', this.commit].includes(revision);
    if (isKnown) this.offer(request, response, files.get(decodeURIComponent(file![4]!)), true);
    else end(response, 404, { 'x-error-code': 'RevisionNotFound' });
  }

  private list(response: ServerResponse, url: URL, files: Map<string, Blob>): void {
    const all = [...files].map(([path, { bytes }]) => ({ path, hash: sha256(bytes) }));
    const root = url.searchParams.get('Root') ?? '';
    const reply = url.pathname.startsWith('/api/v1/')
      ? {
          Data: {
            Files: all
              .filter(({ path }) => path.startsWith(root))
              .map(({ path, hash }) => ({ Path: path, Type: 'blob', Sha256: hash })),
          },
        }
      : [{ type: 'directory', path: 'data' }, ...all.map(({ path }) => ({ type: 'file', path }))];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(reply));
  }

  /** @param isHuggingFace names commit and hash in its headers. */
  private offer(
    request: IncomingMessage,
    response: ServerResponse,
    blob: Blob | undefined,
    isHuggingFace: boolean,
  ): void {
    if (!blob) {
      end(response, 404, { 'x-error-code': 'EntryNotFound' });
      return;
    }
    const { bytes, lfs } = blob;
    const hash = lfs ? sha256(bytes) : gitSha1(bytes);
    const told = isHuggingFace && {
      'x-repo-commit': this.commit,
      'x-linked-etag': `"${hash}"`,
      'x-linked-size': bytes.length,
    };
    if (lfs) {
      end(response, 302, { ...told, location: `${addressOf(this.cdn)}/${sha256(bytes)}` });
      return;
    }
    this.send(request, response, blob, { ...told, etag: `"${hash}"` });
  }

  private send(request: IncomingMessage, response: ServerResponse, blob: Blob | undefined, told: object = {}): void {
    if (!blob) {
      end(response, 404, {});
      return;
    }
    const { bytes } = blob;
    const headers = { 'accept-ranges': 'bytes', etag: `"cdn-${sha256(bytes).slice(0, 8)}"`, ...told };
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isSame = (request.headers['if-range'] ?? headers.etag) === headers.etag;
    if (from > 0 && isSame && from >= bytes.length) {
      end(response, 416, { ...headers, 'content-range': `bytes */${bytes.length}` });
      return;
    }
    const part = from > 0 && isSame ? bytes.subarray(from) : bytes;
    response.writeHead(part === bytes ? 200 : 206, {
      ...headers,
      'content-length': part.length,
      ...(part !== bytes && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    if (part.length <= this.mostPerConnection) response.end(part);
    else response.write(part.subarray(0, this.mostPerConnection), () => response.destroy());
  }

  private blobOf(hash: string): Blob | undefined {
    const all = [...this.repositories.values()].flatMap((files) => [...files.values()]);
    return all.find(({ bytes }) => sha256(bytes) === hash);
  }
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

function end(response: ServerResponse, status: number, headers: Record<string, string | number>): void {
  response.writeHead(status, headers);
  response.end();
}

/** Sends the beginning of a file and hangs up. */
export const cutAfter =
  (bytes: Buffer, sent: number, told: Record<string, string> = {}) =>
  (host: HubRequest['host'], _: IncomingMessage, response: ServerResponse): boolean => {
    if (host !== 'cdn') return false;
    response.writeHead(200, { 'content-length': bytes.length, etag: `"cdn-${sha256(bytes).slice(0, 8)}"`, ...told });
    response.write(bytes.subarray(0, sent), () => setTimeout(() => response.destroy(), 20));
    return true;
  };

/** Answers of the hub, or of the CDN, that are not the true one. */
export const answering =
  (at: HubRequest['host'], status: number, headers: Record<string, string> = {}, body = '') =>
  (host: HubRequest['host'], _: IncomingMessage, response: ServerResponse): boolean => {
    if (host !== at) return false;
    response.writeHead(status, headers);
    response.end(body);
    return true;
  };
