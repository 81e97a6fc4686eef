import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Hub } from '../../../src/hub/hub';
import { parseDataName, parseModelName } from '../../../src/hub/hubName';
import type { HubSource } from '../../../src/hub/hubSource';
import type { FetchProgress } from '../../../src/hub/hubWait';
import { RetoolError } from '../../../src/lib/errors';
import { answering, cutAfter, HubServer, sha256 } from '../../support/hubServer';
import { noPatience } from '../../support/scriptedServer';

const bytes = randomBytes(300_000);
const name = 'hub:maker/sums/data/train.parquet';
const file = parseDataName(name);

let server: HubServer;
let cache: string;
beforeEach(async () => {
  server = await HubServer.start();
  server.put('datasets/maker/sums', 'data/train.parquet', bytes);
  server.put('datasets/maker/sums', 'README.md', '# Sums', false);
  cache = await mkdtemp(join(tmpdir(), 'retool-hub-'));
});
afterEach(async () => {
  await server.close();
  await rm(cache, { recursive: true, force: true });
});

const kinds = ['huggingFace', 'modelScope'] as const;
const hubOf = (kind: (typeof kinds)[number] = 'huggingFace', token?: string, source?: HubSource) =>
  new Hub({ source: source ?? { kind, url: server.url }, cache, token, patience: noPatience });
const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(RetoolError);
      const { message, hint } = error as RetoolError;
      expect(message.split('\n')).toHaveLength(1);
      return `${message} ${hint ?? ''}`;
    },
  );
const parts = () => readdir(join(cache, 'hub', 'parts')).catch(() => []);

describe.each(kinds)('a file of %s', (kind) => {
  it('is fetched once, with its hash, and is there from then on', async () => {
    const progress: FetchProgress[] = [];
    const got = await hubOf(kind).get(file, undefined, { onFetch: (each) => progress.push(each) });
    expect(sha256(await readFile(got.path))).toBe(sha256(bytes));
    expect(got.sha256).toBe(sha256(bytes));
    expect(got.path).toMatch(/train\.parquet$/);
    expect(progress.at(-1)).toEqual({ name, received: bytes.length, total: bytes.length });
    const asked = server.seen.length;
    expect(await hubOf(kind).get(file)).toMatchObject({ path: got.path, sha256: got.sha256 });
    expect(server.seen).toHaveLength(asked);
    expect(await parts()).toEqual([]);
  });

  it('goes on where the connection was cut', async () => {
    server.next.push(cutAfter(bytes, 100_000));
    const got = await hubOf(kind).get(file);
    expect(sha256(await readFile(got.path))).toBe(sha256(bytes));
    const [, second] = server.of('cdn');
    expect(second?.headers.range).toMatch(/^bytes=\d+-$/);
    expect(second?.headers['if-range']).toBe(`"cdn-${sha256(bytes).slice(0, 8)}"`);
    expect(server.of('cdn')).toHaveLength(2);
  });

  it('goes on where another process was stopped', async () => {
    const stop = new AbortController();
    server.next.push((host, _, response) => {
      if (host !== 'cdn') return false;
      response.writeHead(200, { 'content-length': bytes.length, etag: `"cdn-${sha256(bytes).slice(0, 8)}"` });
      response.write(bytes.subarray(0, 65_536));
      return true;
    });
    const onFetch = ({ received }: FetchProgress) => received >= 65_536 && stop.abort();
    await expect(hubOf(kind).get(file, undefined, { signal: stop.signal, onFetch })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(await parts()).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.partial$/)]);
    const got = await hubOf(kind).get(file);
    expect(sha256(await readFile(got.path))).toBe(sha256(bytes));
    expect(server.of('cdn').at(-1)?.headers.range).toBe('bytes=65536-');
    expect(await parts()).toEqual([]);
  });

  it('begins anew where it has changed meanwhile', async () => {
    const stop = new AbortController();
    server.next.push(cutAfter(bytes, 100_000));
    const onFetch = ({ received }: FetchProgress) => received > 0 && stop.abort();
    await refusalOf(hubOf(kind).get(file, undefined, { signal: stop.signal, onFetch }));
    const changed = randomBytes(200_000);
    server.put('datasets/maker/sums', 'data/train.parquet', changed);
    expect(sha256(await readFile((await hubOf(kind).get(file)).path))).toBe(sha256(changed));
  });

  it('comes from the hub itself where it is not in LFS', async () => {
    const got = await hubOf(kind).get(parseDataName('hub:maker/sums/README.md'));
    expect(await readFile(got.path, 'utf8')).toBe('# Sums');
    expect(server.of('cdn')).toEqual([]);
  });

  it('is refused where it came damaged, and leaves nothing behind', async () => {
    const damaged = Buffer.from(bytes);
    damaged[7]! ^= 1;
    for (let i = 0; i < 4; i++) server.next.push(cutAfter(damaged, damaged.length));
    expect(await refusalOf(hubOf(kind).get(file))).toMatch(
      /train\.parquet came damaged from 127.*, not [0-9a-f]{64}\. Fetch/,
    );
    expect(await parts()).toEqual([]);
    server.next.length = 0;
    expect((await hubOf(kind).get(file)).sha256).toBe(sha256(bytes));
  });

  it('is named by its repository alone where that has one data file, which is asked once', async () => {
    const only = parseDataName('hub:maker/sums');
    const got = await hubOf(kind).get(only);
    expect(got).toMatchObject({ sha256: sha256(bytes), path: expect.stringMatching(/train\.parquet$/) });
    const asked = server.seen.length;
    expect(await hubOf(kind).get(only)).toMatchObject({ path: got.path });
    expect(await hubOf(kind).get(only, sha256(bytes))).toMatchObject({ path: got.path });
    expect(server.seen).toHaveLength(asked);
    server.put('datasets/maker/sums', 'data/test.jsonl', '{}');
    expect(await refusalOf(hubOf(kind).fetch(only))).toMatch(
      /^hub:maker\/sums has 2 data files on 127.*, and is the name of none of them\. Name one: hub:maker\/sums\/data\/t/,
    );
    expect(await refusalOf(hubOf(kind).get(parseDataName('hub:maker/nothing')))).toMatch(
      /has no data set maker\/nothing/,
    );
  });

  it('that there is not is refused with what there is', async () => {
    const told = await refusalOf(hubOf(kind).get(parseDataName('hub:maker/sums/data/test.parquet')));
    expect(told).toMatch(/^127.* has no file hub:maker\/sums\/data\/test\.parquet\. It has .*data\/train\.parquet/);
  });

  it('is given with a token to whoever may read it, and the token goes to no other host', async () => {
    server.gated.set('maker/sums', 'hf_secret');
    expect(await refusalOf(hubOf(kind).get(file))).toMatch(
      /only to those who have been granted access\. Ask for it at http.*HF_TOKEN/,
    );
    expect(await refusalOf(hubOf(kind, 'hf_wrong').get(file))).not.toMatch(/hf_wrong/);
    expect((await hubOf(kind, 'hf_secret').get(file)).sha256).toBe(sha256(bytes));
    expect(server.of('cdn')).not.toEqual([]);
    for (const { headers } of server.of('cdn')) expect(JSON.stringify(headers)).not.toContain('hf_secret');
  });
});

it('waits and asks again where the hub is busy', async () => {
  server.next.push(answering('hub', 429, { 'retry-after': '1' }), answering('cdn', 503));
  expect((await hubOf().get(file)).sha256).toBe(sha256(bytes));
});

it('ends in a sentence where the hub stays busy', async () => {
  for (let i = 0; i < 9; i++) server.next.push(answering('hub', 503));
  expect(await refusalOf(hubOf().get(file))).toMatch(/answered 503 to hub:maker.* Try again later/);
  expect(server.seen).toHaveLength(4);
});

it('takes a whole part, of which the CDN has nothing left to send, for the file', async () => {
  const stop = new AbortController();
  server.next.push((host, _, response) => {
    if (host !== 'cdn') return false;
    response.writeHead(200, { 'content-length': bytes.length + 1, etag: `"cdn-${sha256(bytes).slice(0, 8)}"` });
    response.write(bytes);
    return true;
  });
  const onFetch = ({ received }: FetchProgress) => received === bytes.length && stop.abort();
  await refusalOf(hubOf().get(file, undefined, { signal: stop.signal, onFetch }));
  expect((await hubOf().get(file)).sha256).toBe(sha256(bytes));
  expect(server.of('cdn')).toHaveLength(2);
});

it('begins anew where the CDN knows no ranges, or sends another one', async () => {
  server.next.push(
    cutAfter(bytes, 100_000),
    answering('cdn', 206, { 'content-range': `bytes 5-9/${bytes.length}` }, 'other'),
    cutAfter(bytes, bytes.length),
  );
  expect((await hubOf().get(file)).sha256).toBe(sha256(bytes));
});

describe('what is wrong with a hub is said in a sentence', () => {
  it('where nobody answers', async () => {
    const source = { kind: 'huggingFace', url: 'http://127.0.0.1:9' } as const;
    expect(await refusalOf(hubOf('huggingFace', undefined, source).get(file))).toMatch(
      /^The hub 127\.0\.0\.1:9 cannot be reached: .* Check the network, or name a mirror/,
    );
  });
  it.each([
    [
      401,
      { 'x-error-code': 'RepoNotFound' },
      /has no data set maker\/sums, or it is private\. Correct its name, or set/,
    ],
    [401, {}, /has no data set maker\/sums, or it is private/],
    [404, { 'x-error-code': 'RepoNotFound' }, /has no data set maker\/sums/],
    [404, { 'x-error-code': 'RevisionNotFound' }, /The data set maker\/sums has no revision main/],
    [403, { 'x-error-code': 'GatedRepo' }, /granted access/],
    [418, {}, /answered 418/],
    [
      200,
      { 'content-type': 'text/html; charset=utf-8' },
      /does not answer like a hub: it sent a web page\. Correct its address/,
    ],
    [200, { 'content-encoding': 'gzip', 'x-repo-commit': 'c' }, /it sent gzip, unasked/],
    [302, { location: '/datasets/maker/sums/resolve/main/data/train.parquet' }, /it sends on and on/],
  ])('%i %j', async (status, headers, sentence) => {
    for (let i = 0; i < 9; i++) server.next.push(answering('hub', status, headers as Record<string, string>));
    expect(await refusalOf(hubOf().get(file))).toMatch(sentence);
    expect(await parts()).toEqual([]);
  });
});

describe('a pin', () => {
  it('finds the file whatever its name stands for by now', async () => {
    const { sha256: pin } = await hubOf().get(file);
    server.put('datasets/maker/sums', 'data/train.parquet', 'other');
    expect(await hubOf().fetch(file)).toMatchObject({ sha256: sha256('other') });
    const asked = server.seen.length;
    expect(sha256(await readFile((await hubOf().get(file, pin)).path))).toBe(sha256(bytes));
    expect(server.seen).toHaveLength(asked);
  });
  it('refuses another file, naming both hashes', async () => {
    const told = await refusalOf(hubOf().get(file, 'a'.repeat(64)));
    expect(told).toContain(`${name} is pinned to ${'a'.repeat(64)}, but `);
    expect(told).toContain(`has ${sha256(bytes)}. Correct its line in pins`);
  });
});

it('takes what is there and asks nobody where it may not', async () => {
  const offline = new Hub({ source: { kind: 'huggingFace', url: server.url }, cache, offline: true });
  expect(await refusalOf(offline.get(file))).toMatch(
    /train\.parquet has not been fetched yet\. Fetch it by 'retool fetch'/,
  );
  expect(await refusalOf(offline.getModel(parseModelName('maker/small')!))).toMatch(/has not been fetched yet/);
  expect(server.seen).toEqual([]);
  await hubOf().get(file);
  expect((await offline.get(file)).sha256).toBe(sha256(bytes));
});

it('fetches again what was damaged in the cache', async () => {
  const { path } = await hubOf().get(file);
  await writeFile(path, 'damaged');
  expect(sha256(await readFile((await hubOf().get(file)).path))).toBe(sha256(bytes));
});

it('downloads nothing that the cache has under another name', async () => {
  await hubOf().get(file);
  server.put('datasets/copier/sums', 'copy.parquet', bytes);
  const before = server.of('cdn').length;
  const copy = await hubOf().get(parseDataName('hub:copier/sums/copy.parquet'));
  expect(copy.path).toMatch(/copy\.parquet$/);
  expect(server.of('cdn')).toHaveLength(before);
});

it('keeps a file whole that is fetched many times at once', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => hubOf().fetch(file)));
  for (const { path } of all) expect(sha256(await readFile(path))).toBe(sha256(bytes));
  expect(await parts()).toEqual([]);
});

it('takes over what a process that is gone has left', async () => {
  const stop = new AbortController();
  server.next.push(cutAfter(bytes, 100_000));
  const onFetch = ({ received }: FetchProgress) => received > 0 && stop.abort();
  await refusalOf(hubOf().get(file, undefined, { signal: stop.signal, onFetch }));
  const folder = join(cache, 'hub', 'parts');
  const [part] = await readdir(folder);
  await rename(join(folder, part!), join(folder, part!.replace('.partial', '.4999999-0a0b0c0d.partial')));
  await hubOf().get(file);
  expect(server.of('cdn').at(-1)?.headers.range).toMatch(/^bytes=/);
  expect(await parts()).toEqual([]);
});

const canMount = process.platform === 'linux' && process.getuid?.() === 0;

it.skipIf(!canMount)(
  'says in a sentence that the disk is full, and leaves the rest as it was (needs root)',
  async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700k', 'tmpfs', cache]);
    try {
      const { path } = await hubOf().get(file);
      server.put('datasets/maker/sums', 'large.bin', randomBytes(2_000_000));
      const large = parseDataName('hub:maker/sums/large.bin');
      expect(await refusalOf(hubOf().get(large))).toMatch(
        /^hub:maker\/sums\/large\.bin cannot be stored: the disk is full\. Free some space/,
      );
      expect(sha256(await readFile(path))).toBe(sha256(bytes));
      expect((await hubOf().get(file)).path).toBe(path);
    } finally {
      execFileSync('umount', [cache]);
    }
  },
);

describe('a hub folder', () => {
  const inFolder = () => hubOf('huggingFace', undefined, { kind: 'folder', folder: cache });
  it('has files where they lie', async () => {
    await mkdir(join(cache, 'maker', 'sums@v1', 'data'), { recursive: true });
    await writeFile(join(cache, 'maker', 'sums@v1', 'data', 'train.jsonl'), '{}');
    const got = await inFolder().get(parseDataName('hub:maker/sums@v1/data/train.jsonl'));
    expect(got).toEqual({ path: join(cache, 'maker', 'sums@v1', 'data', 'train.jsonl'), sha256: sha256('{}') });
  });
  it('that lacks a file says where it was looked for', async () => {
    expect(await refusalOf(inFolder().get(file))).toContain(
      `The hub folder has no file ${join(cache, 'maker', 'sums', 'data', 'train.parquet')}. A hub folder is laid out as`,
    );
  });
  it('has models too', async () => {
    await mkdir(join(cache, 'maker', 'small'), { recursive: true });
    await writeFile(join(cache, 'maker', 'small', 'tokenizer.json'), '{}');
    const { folder, files } = await inFolder().getModel(parseModelName('maker/small')!);
    expect(folder).toBe(join(cache, 'maker', 'small'));
    expect(files).toEqual({ 'tokenizer.json': sha256('{}') });
  });
});

describe.each(kinds)('a model of %s', (kind) => {
  beforeEach(() => {
    server.put('models/maker/small', 'tokenizer.json', 'the tokenizer');
    server.put('models/maker/small', 'tokenizer_config.json', '{"a": 1}', false);
    server.put('models/maker/small', 'model.safetensors', 'weights');
  });
  const model = parseModelName('maker/small')!;

  it('brings what training reads of it into one folder, and no weights', async () => {
    const { folder, files } = await hubOf(kind).getModel(model);
    expect((await readdir(folder)).sort()).toEqual(['tokenizer.json', 'tokenizer_config.json']);
    expect(await readFile(join(folder, 'tokenizer.json'), 'utf8')).toBe('the tokenizer');
    expect(files).toEqual({ 'tokenizer.json': sha256('the tokenizer'), 'tokenizer_config.json': sha256('{"a": 1}') });
    const asked = server.seen.length;
    expect(await hubOf(kind).getModel(model)).toEqual({ folder, files });
    expect(server.seen).toHaveLength(asked);
  });

  it('is asked for again where a person says so', async () => {
    const first = await hubOf(kind).getModel(model);
    server.commit = 'd'.repeat(40);
    server.put('models/maker/small', 'tokenizer_config.json', '{"a": 2}', false);
    const second = await hubOf(kind).getModel(model, {}, true);
    expect(await readFile(join(second.folder, 'tokenizer_config.json'), 'utf8')).toBe('{"a": 2}');
    expect(await readFile(join(first.folder, 'tokenizer_config.json'), 'utf8')).toBe('{"a": 1}');
  });

  it('is whole after a fetch that was stopped in the middle', async () => {
    const stop = new AbortController();
    const onFetch = ({ name: which }: FetchProgress) => which.endsWith('tokenizer_config.json') && stop.abort();
    await refusalOf(hubOf(kind).getModel(model, { signal: stop.signal, onFetch }));
    expect(Object.keys((await hubOf(kind).getModel(model)).files)).toEqual(['tokenizer.json', 'tokenizer_config.json']);
  });

  it('that there is not is refused', async () => {
    expect(await refusalOf(hubOf(kind).getModel(parseModelName('maker/none')!))).toMatch(/no model maker\/none/);
  });
});
