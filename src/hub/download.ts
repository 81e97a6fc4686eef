import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { namedAs } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { isPassing, type Patience } from '../lib/patience';
import { digestUserFile } from '../lib/userFile';
import { fileAddress, type ListedFile } from './hubAddresses';
import { type HubCache, keyOf } from './hubCache';
import { ask, type HubAnswer, headerOf, redirectOf } from './hubHttp';
import { type HubFile, nameOf } from './hubName';
import { type HubServer, sourceName } from './hubSource';
import { type FetchOptions, type HubClient, tellingSilence, tries, waitForHub } from './hubWait';
import { PartFile } from './partFile';
import { brokenOff, noHub, refusal, unreachable } from './refusal';
import { repositoryFiles } from './repositoryFiles';
import { bytesIn, isSha256, partOf, rangeOf, type Told, toldBy } from './told';

/** A file that has come. */
export interface Fetched {
  readonly path: string;
  readonly sha256: string;
  readonly commit?: string | undefined;
}

const mostRedirects = 6;

/** Downloads one file into the cache: what an earlier download has left is gone on with. */
export class Download implements HubClient {
  private readonly server: HubServer;
  private readonly file: HubFile;
  private readonly cache: HubCache;
  readonly token: string | undefined;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly onFetch: FetchOptions['onFetch'];

  constructor(
    server: HubServer,
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
    let part: PartFile | undefined;
    try {
      part = await PartFile.take(this.cache.parts, keyOf(this.server, this.file));
      // What counts is getting further than ever: a part that is begun anew again and again does not get on.
      let most = part.size;
      for (let attempt = 0; ; attempt++) {
        const got = await this.attempt(part, attempt);
        if ('path' in got) return got;
        if (part.size > most) attempt = 0;
        most = Math.max(most, part.size);
        if (attempt + 1 >= tries) throw got.error;
        const far = { name: nameOf(this.file), received: part.size };
        await waitForHub(this.server, far, attempt, got.headers, this);
      }
    } catch (error) {
      throw RetoolError.from('bug', `${nameOf(this.file)} cannot be stored`, this.ofCache(error));
    } finally {
      await part?.leave();
    }
  }

  /** @returns the file, or why this time it did not come. @throws what another try cannot better. */
  private async attempt(
    part: PartFile,
    tried: number,
  ): Promise<Fetched | { error: RetoolError; headers?: HubAnswer['headers'] }> {
    this.signal.throwIfAborted();
    const resumed = part.size > 0;
    let told: Told = {};
    let answer: HubAnswer;
    const far = () => ({ name: nameOf(this.file), received: part.size });
    try {
      let url = fileAddress(this.server, this.file);
      for (let hops = 0; ; hops++) {
        const asking = ask(this.server, url, this.token, rangeOf(part.size, part.told), this.signal);
        answer = await tellingSilence(asking, this.server, far(), tried, this.onFetch);
        told = { ...told, ...toldBy(answer, hops === 0) };
        const next = redirectOf(answer);
        if (!next) break;
        await answer.body.dump();
        if (hops >= mostRedirects) throw noHub(this.server, 'it sends on and on');
        if (!/^https?:$/.test(next.protocol)) {
          throw noHub(this.server, `it sends on to ${next.protocol}, which is neither http nor https`);
        }
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
    if (answer.status !== 200 && answer.status !== 206) return this.refused(answer);
    await this.requireFile(answer, told);
    const unfit = await this.begin(part, answer, told);
    if (unfit) return { error: unfit };
    const sent = lengthOf(answer);
    const total = told.size ?? sent;
    try {
      await this.receive(part, answer, total);
      if (total !== undefined && part.size < total && part.size !== sent) {
        return { error: brokenOff(this.server, part.size, total) };
      }
    } catch (error) {
      return this.lost(error, part.size, total);
    }
    await this.requireWhole(part, told, total);
    return this.finish(part, told, resumed);
  }

  /** What undici says of a connection may pass; a full disk and a person's wish do not. */
  private lost(error: unknown, received = 0, total?: number): { error: RetoolError } {
    this.signal.throwIfAborted();
    if (error instanceof RetoolError) throw error;
    const named = RetoolError.from('service', `${nameOf(this.file)} cannot be stored`, this.ofCache(error));
    if (named.code === 'disk') throw named;
    return { error: received > 0 ? brokenOff(this.server, received, total, error) : unreachable(this.server, error) };
  }

  /** An error of the disk names the folder of the cache, not a part that nobody knows. */
  private ofCache(error: unknown): unknown {
    const { path } = (error ?? {}) as NodeJS.ErrnoException;
    return path?.startsWith(this.cache.parts) ? namedAs(this.cache.folder, path, error) : error;
  }

  /** Goes on with the part where the answer does, else begins it anew. @returns why neither can be. */
  private async begin(part: PartFile, answer: HubAnswer, told: Told): Promise<RetoolError | undefined> {
    const first = answer.status === 206 ? rangeIn(answer)?.first : 0;
    if (first === part.size && part.size > 0) return undefined;
    const wasAsked = part.size > 0;
    await part.restart(first === 0 ? partOf(answer, told) : {});
    if (first === 0) return undefined;
    await answer.body.dump();
    const error = noHub(this.server, 'it sent another part of the file than was asked for');
    if (wasAsked) return error;
    throw error;
  }

  private async receive(part: PartFile, { body }: HubAnswer, total: number | undefined): Promise<void> {
    const tell = () => this.onFetch?.({ name: nameOf(this.file), received: part.size, total });
    tell();
    for await (const piece of body) {
      await part.append(piece);
      if (total !== undefined && part.size > total) return;
      tell();
    }
  }

  /** Refuses what has not the length that was told, and nothing at all where a file was not clearly meant. */
  private async requireWhole(part: PartFile, told: Told, total: number | undefined): Promise<void> {
    const { size } = part;
    let why: string | undefined;
    if (total !== undefined && size !== total) {
      why = `it tells of ${total} bytes and sends ${size > total ? 'more' : size}`;
    } else if (size === 0) {
      const isMeant = total === 0 && (told.hash ?? told.commit ?? (await this.listedHash())) !== undefined;
      why = isMeant ? undefined : 'it sent nothing';
    }
    if (why === undefined) return;
    await part.restart({});
    throw noHub(this.server, why);
  }

  /** The part has every byte that there is, or more. */
  private async beyond(part: PartFile, answer: HubAnswer, told: Told): ReturnType<Download['attempt']> {
    await answer.body.dump();
    const size = bytesIn(/^bytes \*\/(\d+)$/.exec(headerOf(answer, 'content-range') ?? '')?.[1]) ?? told.size;
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

/** What a 206 says that it sends. */
function rangeIn(answer: HubAnswer): { first: number; whole: number | undefined } | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headerOf(answer, 'content-range') ?? '');
  return range === null ? undefined : { first: Number(range[1]), whole: bytesIn(range[2]) };
}

/** Bytes of the whole file, as the answer itself has them. */
const lengthOf = (answer: HubAnswer): number | undefined =>
  answer.status === 206 ? rangeIn(answer)?.whole : bytesIn(headerOf(answer, 'content-length'));

/** The SHA-1 that git calls a file by. */
async function gitHash(path: string): Promise<string> {
  const { size } = await stat(path);
  return createHash('sha1')
    .update(`blob ${size}\0`)
    .update(await readFile(path))
    .digest('hex');
}
