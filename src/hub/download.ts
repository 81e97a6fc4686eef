import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { RetoolError } from '../lib/errors';
import { backoff, isPassing, type Patience } from '../lib/patience';
import { digestUserFile } from '../lib/userFile';
import type { HubPart } from '../schema/hub';
import { fileAddress, type ListedFile } from './hubAddresses';
import { type HubCache, keyOf } from './hubCache';
import { ask, type HubAnswer, headerOf, redirectOf } from './hubHttp';
import { type HubFile, nameOf } from './hubName';
import { type HubSource, sourceName } from './hubSource';
import { PartFile } from './partFile';
import { noHub, refusal, unreachable } from './refusal';
import { type ListAccess, repositoryFiles } from './repositoryFiles';

type Server = Extract<HubSource, { url: string }>;

/** How far a file has come. */
export interface FetchProgress {
  readonly name: string;
  /** Bytes, those of an earlier download included. */
  readonly received: number;
  /** Bytes; undefined where the hub does not tell. */
  readonly total: number | undefined;
}

export interface FetchOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onFetch?: ((progress: FetchProgress) => void) | undefined;
}

/** A file that has come. */
export interface Fetched {
  readonly path: string;
  readonly sha256: string;
  readonly commit?: string | undefined;
}

/** What a hub says of a file before it sends it. */
interface Told {
  readonly commit?: string | undefined;
  /** SHA-256, or the SHA-1 of a git blob, of the content. */
  readonly hash?: string | undefined;
  readonly size?: number | undefined;
}

/** Times that a download is tried without getting on. */
const tries = 4;
const mostRedirects = 6;

/** Downloads one file into the cache: what an earlier download has left is gone on with. */
export class Download implements ListAccess {
  private readonly server: Server;
  private readonly file: HubFile;
  private readonly cache: HubCache;
  readonly token: string | undefined;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  private readonly onFetch: FetchOptions['onFetch'];

  constructor(
    server: Server,
    file: HubFile,
    cache: HubCache,
    access: { readonly token: string | undefined; readonly patience: Patience },
    { signal, onFetch }: FetchOptions,
  ) {
    this.server = server;
    this.file = file;
    this.cache = cache;
    this.token = access.token;
    this.patience = access.patience;
    this.signal = signal ?? new AbortController().signal;
    this.onFetch = onFetch;
  }

  /** @throws RetoolError in one sentence; the reason of the signal when it aborts. Either way the part is kept. */
  async run(): Promise<Fetched> {
    const part = await PartFile.take(this.cache.parts, keyOf(this.server, this.file));
    try {
      for (let attempt = 0; ; attempt++) {
        const before = part.size;
        const got = await this.attempt(part);
        if ('path' in got) return got;
        if (part.size > before) attempt = 0;
        if (attempt + 1 >= tries) throw got.error;
        await this.patience.sleep(backoff(attempt, got.headers, this.patience), this.signal).catch(() => undefined);
        this.signal.throwIfAborted();
      }
    } catch (error) {
      throw RetoolError.from('bug', `${nameOf(this.file)} cannot be stored`, error);
    } finally {
      await part.leave();
    }
  }

  /** @returns the file, or why this time it did not come. @throws what another try cannot better. */
  private async attempt(part: PartFile): Promise<Fetched | { error: RetoolError; headers?: HubAnswer['headers'] }> {
    this.signal.throwIfAborted();
    const resumed = part.size > 0;
    let told: Told = {};
    let answer: HubAnswer;
    try {
      let url = fileAddress(this.server, this.file);
      for (let hops = 0; ; hops++) {
        answer = await ask(this.server, url, this.token, rangeOf(part), this.signal);
        told = { ...told, ...definedOf(toldBy(answer, hops === 0)) };
        const next = redirectOf(answer);
        if (!next) break;
        await answer.body.dump();
        if (hops >= mostRedirects) throw noHub(this.server, 'it sends on and on');
        if (next.protocol !== 'https:' && url.protocol === 'https:' && !isSha256(told.hash)) {
          throw noHub(this.server, `it sends on to ${next.protocol}//${next.host}, which is not encrypted`);
        }
        const known = isSha256(told.hash) ? await this.cache.find(told.hash!, basename(this.file.path)) : undefined;
        if (known !== undefined) {
          await part.discard();
          return { path: known, sha256: told.hash!, commit: told.commit };
        }
        if (part.size > 0 && part.told.identity !== told.hash) await part.restart({});
        url = next;
      }
    } catch (error) {
      return this.lost(error);
    }
    if (answer.status === 416) return this.beyond(part, answer, told);
    if (answer.status >= 300) return this.refused(answer);
    await this.requireFile(answer, told);
    try {
      const total = await this.receive(part, answer, told);
      if (total !== undefined && part.size !== total) {
        if (part.size > total) await part.restart({});
        throw new Error(`the connection ended after ${part.size} of ${total} bytes`);
      }
    } catch (error) {
      return this.lost(error);
    }
    return this.finish(part, told, resumed);
  }

  /** What undici says of a connection may pass; a full disk and a person's wish do not. */
  private lost(error: unknown): { error: RetoolError } {
    this.signal.throwIfAborted();
    if (error instanceof RetoolError) throw error;
    const named = RetoolError.from('service', `${nameOf(this.file)} cannot be stored`, error);
    if (named.code === 'disk') throw named;
    return { error: unreachable(this.server, error) };
  }

  /** @returns the bytes that the whole file has, where it is known. */
  private async receive(part: PartFile, answer: HubAnswer, told: Told): Promise<number | undefined> {
    const length = Number(headerOf(answer, 'content-length') ?? Number.NaN);
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headerOf(answer, 'content-range') ?? '');
    const goesOn = answer.status === 206 && range !== null && Number(range[1]) === part.size;
    if (answer.status === 206 && !goesOn) {
      await answer.body.dump();
      await part.restart({});
      throw new Error('it sent another part of the file than was asked for');
    }
    if (!goesOn) await part.restart(partOf(answer, told));
    const whole = goesOn ? Number(range[2]) : length;
    const total = told.size ?? (Number.isFinite(whole) ? whole : undefined);
    const tell = () => this.onFetch?.({ name: nameOf(this.file), received: part.size, total });
    tell();
    for await (const piece of answer.body) {
      await part.append(piece as Uint8Array);
      tell();
    }
    return total;
  }

  /** The part has every byte that there is, or more. */
  private async beyond(part: PartFile, answer: HubAnswer, told: Told): ReturnType<Download['attempt']> {
    await answer.body.dump();
    const size = Number(/^bytes \*\/(\d+)$/.exec(headerOf(answer, 'content-range') ?? '')?.[1] ?? told.size);
    if (part.size > 0 && size === part.size) return this.finish(part, told, true);
    await part.restart({});
    return { error: noHub(this.server, 'it refuses the part that was asked for') };
  }

  private async finish(part: PartFile, told: Told, resumed: boolean): ReturnType<Download['attempt']> {
    await part.finish();
    const sha256 = await digestUserFile(part.path, 'disk');
    const expected = told.hash ?? (await this.listedHash());
    const found = isSha256(expected) || expected === undefined ? sha256 : await gitHash(part.path);
    if (expected !== undefined && expected !== found) {
      await part.restart({});
      const message = `${nameOf(this.file)} came damaged from ${sourceName(this.server)}: it has the hash ${found}, not ${expected}.`;
      const error = new RetoolError('data', message, { hint: 'Fetch it again, or from another hub.' });
      // The older part may be what is damaged.
      if (resumed) return { error };
      throw error;
    }
    const path = await this.cache.put(part.path, sha256, basename(this.file.path));
    await part.discard();
    return { path, sha256, commit: told.commit };
  }

  private async refused(answer: HubAnswer): Promise<{ error: RetoolError; headers: HubAnswer['headers'] }> {
    await answer.body.dump();
    const known = answer.status === 404 ? (await this.list()).map(({ path }) => path) : [];
    const error = refusal(this.server, this.file, answer, this.token !== undefined, known);
    if (isPassing(answer.status)) return { error, headers: answer.headers };
    throw error;
  }

  /** A page for people is no file: the address is that of something else than a hub. */
  private async requireFile(answer: HubAnswer, told: Told): Promise<void> {
    const compressed = headerOf(answer, 'content-encoding');
    const isPage = /^text\/html/.test(headerOf(answer, 'content-type') ?? '') && !/\.html?$/.test(this.file.path);
    const why = isPage && told.commit === undefined ? 'it sent a web page' : undefined;
    const packed = compressed !== undefined && compressed !== 'identity' ? `it sent ${compressed}, unasked` : undefined;
    if (why === undefined && packed === undefined) return;
    await answer.body.dump();
    throw noHub(this.server, why ?? packed!);
  }

  /** ModelScope's answer may name no hash; its list does. */
  private async listedHash(): Promise<string | undefined> {
    if (this.server.kind !== 'modelScope') return undefined;
    return (await this.list()).find(({ path }) => path === this.file.path)?.sha256;
  }

  /** What the repository has, as far as the hub tells. */
  private async list(): Promise<ListedFile[]> {
    const { repository, path } = this.file;
    const folder = dirname(path) === '.' ? '' : dirname(path);
    try {
      return await repositoryFiles(this.server, repository, folder, this);
    } catch {
      // It is asked for the sake of a hint or a second check; what matters has been said.
      return [];
    }
  }
}

/** Asks for what is missing, provided that the file is still the one whose part is there. */
function rangeOf({ size, told: { etag, identity } }: PartFile): Record<string, string> {
  if (size === 0 || (etag === undefined && !isSha256(identity))) return {};
  return { range: `bytes=${size}-`, ...(etag !== undefined && { 'if-range': etag }) };
}

function toldBy(answer: HubAnswer, isFirst: boolean): Told {
  const linked = headerOf(answer, 'x-linked-etag');
  const own = isFirst && answer.status < 300 ? headerOf(answer, 'etag') : undefined;
  const size = headerOf(answer, 'x-linked-size');
  return {
    commit: headerOf(answer, 'x-repo-commit'),
    hash: hashIn(linked) ?? (headerOf(answer, 'x-repo-commit') === undefined ? undefined : hashIn(own)),
    size: size === undefined ? undefined : Number(size),
  };
}

const definedOf = (told: Told): Told =>
  Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));

/** ETags of Hugging Face are hashes of the content: SHA-256 in LFS, else git's SHA-1. */
const hashIn = (etag: string | undefined): string | undefined =>
  /^(?:W\/)?"?([0-9a-f]{64}|[0-9a-f]{40})"?$/i.exec(etag ?? '')?.[1]?.toLowerCase();

const isSha256 = (hash: string | undefined): boolean => hash?.length === 64;

/** A weak ETag does not promise the same bytes. */
function partOf(answer: HubAnswer, { hash }: Told): HubPart {
  const etag = headerOf(answer, 'etag');
  return { ...(hash !== undefined && { identity: hash }), ...(etag && !etag.startsWith('W/') && { etag }) };
}

/** The SHA-1 that git calls a file by. */
async function gitHash(path: string): Promise<string> {
  const { size } = await stat(path);
  return createHash('sha1')
    .update(`blob ${size}\0`)
    .update(await readFile(path))
    .digest('hex');
}
