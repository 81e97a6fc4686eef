import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub';
import { parseDataName } from '../../../src/hub/hubName';
import type { FetchOptions, FetchProgress } from '../../../src/hub/hubWait';
import { RetoolError } from '../../../src/lib/errors';
import { answering, cutAfter, HubServer, sha256 } from '../../support/hubServer';
import { noPatience } from '../../support/scriptedServer';

const bytes = randomBytes(300_000);
const file = parseDataName('hub:maker/sums/data/train.parquet');

let server: HubServer;
let cache: string;
beforeEach(async () => {
  server = await HubServer.start();
  server.put('datasets/maker/sums', 'data/train.parquet', bytes);
  cache = await mkdtemp(join(tmpdir(), 'retool-hub-'));
});
afterEach(async () => {
  await server.close();
  await rm(cache, { recursive: true, force: true });
});

const fetched = (options: FetchOptions = {}, token?: string, kind: 'huggingFace' | 'modelScope' = 'huggingFace') =>
  new Hub({ source: { kind, url: server.url }, cache, token, patience: noPatience }).get(file, undefined, options);
const refused = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RetoolError);
      const { message, hint } = error as RetoolError;
      return `${message} ${hint ?? ''}`;
    },
  );

describe('a connection that is closed after a few bytes, each time', () => {
  it.each([1_500, 20_000, 60_000, 200_000])('gets on: %i bytes', async (most) => {
    server.mostPerConnection = most;
    const { path } = await fetched();
    expect(sha256(await readFile(path))).toBe(sha256(bytes));
    const ranges = server.of('cdn').map(({ headers }) => headers.range);
    expect(ranges).toEqual([
      undefined,
      ...Array.from({ length: bytes.length / most - 1 }, (_, i) => `bytes=${(i + 1) * most}-`),
      ...(bytes.length % most > 0 ? [`bytes=${Math.floor(bytes.length / most) * most}-`] : []),
    ]);
  });

  it('keeps what has come, and names the cause, where it gets on no more', async () => {
    server.next.push(...Array.from({ length: 5 }, () => cutAfter(bytes, 20_000)));
    expect(await refused(fetched())).toMatch(
      /^The connection to 127.* broke off after 20000 of 300000 bytes\. Try again/,
    );
    expect(server.of('cdn')).toHaveLength(4);
    server.next.length = 0;
    await fetched();
    expect(server.of('cdn').at(-1)?.headers.range).toBe('bytes=20000-');
  });
});

describe('is said at once, with its true cause', () => {
  it.each(['hf_a\nb', 'hf_é', 'hf a'])('a token that is none: %j', async (token) => {
    for (const kind of ['huggingFace', 'modelScope'] as const) {
      const told = await refused(fetched({}, token, kind));
      expect(told).toMatch(/^The token of the hub holds a space, a line break or a letter that no token has\. Copy it/);
      expect(told).not.toContain(token);
    }
    const only = new Hub({ source: { kind: 'huggingFace', url: server.url }, cache, token, patience: noPatience });
    expect(await refused(only.get(parseDataName('hub:maker/sums')))).toMatch(/^The token of the hub/);
    expect(server.seen).toEqual([]);
  });

  const commit = { 'x-repo-commit': 'c'.repeat(40) };
  it.each([
    [
      'a size smaller than what comes',
      200,
      { ...commit, 'x-linked-size': '0' },
      'a'.repeat(99),
      /tells of 0 bytes and sends more/,
    ],
    [
      'a size larger than what comes',
      200,
      { ...commit, 'x-linked-size': '500', 'content-length': '99' },
      'a'.repeat(99),
      /tells of 500 bytes and sends 99/,
    ],
    [
      'a redirect to ftp',
      302,
      { location: 'ftp://127.0.0.1/a' },
      '',
      /sends on to ftp:, which is neither http nor https/,
    ],
    ['a redirect to a file', 302, { location: 'file:///etc/passwd' }, '', /sends on to file:, which is neither/],
    [
      'a range that nobody asked for',
      206,
      { 'content-range': 'bytes 5-9/99' },
      'other',
      /sent another part of the file/,
    ],
    ['a range that is none', 206, { 'content-range': 'nonsense' }, 'other', /sent another part of the file/],
    ['204', 204, commit, '', /answered 204/],
    ['nothing, of no length', 200, commit, '', /does not answer like a hub: it sent nothing/],
    ['nothing, without a hash or commit', 200, { 'content-length': '0' }, '', /it sent nothing/],
  ])('%s', async (_, status, headers, body, sentence) => {
    for (let i = 0; i < 4; i++) server.next.push(answering('hub', status, headers as Record<string, string>, body));
    const told = await refused(fetched());
    expect(told).toMatch(sentence);
    expect(told).not.toMatch(/cannot be reached/);
    expect(server.seen).toHaveLength(1);
    expect(await readdir(join(cache, 'hub', 'parts'))).toEqual([]);
  });
});

it('ends where each range that is asked for brings another one', async () => {
  for (let i = 0; i < 9; i++) {
    server.next.push(cutAfter(bytes, 20_000), answering('cdn', 206, { 'content-range': 'bytes 5-9/300000' }, 'other'));
  }
  expect(await refused(fetched())).toMatch(/127.*(another part of the file|broke off after 20000 of 300000 bytes)/);
  expect(server.of('cdn').length).toBeLessThanOrEqual(5);
});

it('takes no notice of a size that is no number', async () => {
  server.next.push(answering('hub', 200, { 'x-repo-commit': 'c'.repeat(40), 'x-linked-size': 'many' }, 'abc'));
  const progress: FetchProgress[] = [];
  expect((await fetched({ onFetch: (far) => progress.push(far) })).sha256).toBe(sha256('abc'));
  expect(progress.at(-1)).toMatchObject({ received: 3, total: undefined });
});

it('takes an empty file that the hub tells of', async () => {
  server.put('datasets/maker/sums', 'data/train.parquet', '', false);
  expect((await fetched()).sha256).toBe(sha256(''));
});

it('tells whom it waits for, and how often yet', async () => {
  server.next.push(answering('hub', 429), answering('cdn', 500), answering('hub', 503));
  const told: unknown[] = [];
  await fetched({ onFetch: ({ waiting }) => waiting && told.push(waiting) });
  const host = new URL(server.url).host;
  expect(told).toEqual([2, 3, 4].map((next) => ({ host, next, tries: 4 })));
});

it('tells it of the list of a repository too', async () => {
  server.next.push(answering('hub', 500));
  const told: unknown[] = [];
  const hub = new Hub({ source: { kind: 'huggingFace', url: server.url }, cache, patience: noPatience });
  await hub.get(parseDataName('hub:maker/sums'), undefined, {
    onFetch: ({ waiting }) => waiting && told.push(waiting.next),
  });
  expect(told).toEqual([2]);
});

it('fetches from a revision with slashes', async () => {
  const hub = new Hub({ source: { kind: 'huggingFace', url: server.url }, cache, patience: noPatience });
  const got = await hub.get(parseDataName('hub:maker/sums@refs%2Fpr%2F1/data/train.parquet'));
  expect(got.sha256).toBe(sha256(bytes));
});

it.skipIf(process.platform !== 'linux')('says in a sentence that the cache can have no folder', async () => {
  const hub = new Hub({ source: { kind: 'huggingFace', url: server.url }, cache: '/proc/nope/retool' });
  expect(await refused(hub.get(file))).toMatch(/^The folder \/proc\/nope cannot be made: .* XDG_CACHE_HOME/);
});
