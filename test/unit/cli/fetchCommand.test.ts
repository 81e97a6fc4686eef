import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answering, HubServer, sha256 } from '../../support/hubServer';
import { cliScript, smallExperiment } from '../../support/smallRun';
import { tinyTokenizer } from '../../support/tinyTokenizer';

const problems = Array.from({ length: 12 }, (_, i) => `{"id":"p-${i}","question":"${i}*3","answer":"${i * 3}"}\n`).join(
  '',
);
const name = 'hub:maker/sums/data/train.jsonl';

let server: HubServer;
let cache: string;
beforeEach(async () => {
  server = await HubServer.start();
  server.put('datasets/maker/sums', 'data/train.jsonl', problems);
  cache = await mkdtemp(join(tmpdir(), 'retool-fetch-'));
});
afterEach(async () => {
  await server.close();
  await rm(cache, { recursive: true, force: true });
});

const started = (args: readonly string[], env: Record<string, string> = {}) =>
  execa('node', [cliScript, ...args], {
    reject: false,
    env: { HF_ENDPOINT: server.url, XDG_CACHE_HOME: cache, HF_TOKEN: '', ...env },
  });
const summaryOf = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
const oneLine = (stderr: string) => expect(stderr.trim().split('\n'), stderr).toHaveLength(1);

const short = {
  coldStart: undefined,
  reinforcement: { steps: 1, problemsPerStep: 2, groupSize: 2, learningRate: 1e-3, warmupSteps: 0, minibatches: 1 },
};
const hubExperiment = (change: Record<string, unknown> = {}) =>
  smallExperiment({ ...short, data: { train: name, holdOut: 2 }, ...change });

describe('retool fetch', () => {
  it('fetches a file of a data set and tells the line that pins it', async () => {
    const { stdout, exitCode } = await started(['fetch', name]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`"pins": {\n    "${name}": "${sha256(problems)}"\n  }`);
    const told = stdout.split('\n').filter((line) => line.startsWith('Fetching '));
    expect(told).toEqual([`Fetching ${name}: ${problems.length} of ${problems.length} bytes`]);
    const { path } = summaryOf((await started(['fetch', name, '--json'])).stdout) as { path: string };
    expect(path.startsWith(join(cache, 'retool', 'hub'))).toBe(true);
    expect(await readFile(path, 'utf8')).toBe(problems);
  });

  it('fetches what an experiment names, once, and what it pins not again', async () => {
    const experiment = await hubExperiment();
    expect((await started(['fetch', experiment])).stdout).toContain('To pin them');
    const asked = server.seen.length;
    await started(['fetch', experiment]);
    expect(server.seen).toHaveLength(asked);
    await started(['fetch', experiment, '--again']);
    expect(server.seen.length).toBeGreaterThan(asked);
    const pinned = await hubExperiment({ pins: { [name]: sha256(problems) } });
    const { stdout } = await started(['fetch', pinned, '--again']);
    expect(stdout).toBe(`${sha256(problems)}  ${name}, pinned`);
  });

  it('says whom it waits for while the hub is busy', async () => {
    server.next.push(answering('hub', 429, { 'retry-after-ms': '1' }));
    const { stdout } = await started(['fetch', name]);
    expect(stdout).toContain(`Fetching ${name}: waiting for ${new URL(server.url).host}, try 2 of 4\n`);
  });

  it('keeps what has come when it is interrupted, and goes on from there', async () => {
    const bytes = randomBytes(400_000);
    server.put('datasets/maker/sums', 'large.bin', bytes);
    server.next.push((host, _, response) => {
      if (host !== 'cdn') return false;
      response.writeHead(200, { 'content-length': bytes.length, etag: `"cdn-${sha256(bytes).slice(0, 8)}"` });
      response.write(bytes.subarray(0, 200_000), () => setTimeout(() => running.kill('SIGINT'), 300));
      return true;
    });
    const running = started(['fetch', 'hub:maker/sums/large.bin']);
    const { exitCode, stderr } = await running;
    expect(exitCode).toBe(130);
    expect(stderr).toBe('Stopped; a second call goes on from here.');
    const { stdout } = await started(['fetch', 'hub:maker/sums/large.bin', '--json']);
    expect(summaryOf(stdout)).toMatchObject({ files: { 'hub:maker/sums/large.bin': sha256(bytes) } });
    expect(server.of('cdn').at(-1)?.headers.range).toBe('bytes=200000-');
  });

  it('keeps one file whole that two processes fetch at once', async () => {
    const bytes = randomBytes(3_000_000);
    server.put('datasets/maker/sums', 'large.bin', bytes);
    const both = await Promise.all([1, 2].map(() => started(['fetch', 'hub:maker/sums/large.bin', '--json'])));
    for (const { stdout } of both) {
      expect(sha256(await readFile((summaryOf(stdout) as { path: string }).path))).toBe(sha256(bytes));
    }
    expect(await readdir(join(cache, 'retool', 'hub', 'parts'))).toEqual([]);
  });

  it.each([
    ['hub:maker/sums/../x', /names no file of a hub: its path has "\.\."/],
    ['hub:maker', /has not the form hub:OWNER\/NAME\/PATH, with @REVISION/],
    ['hub:../sums/x', /is no name of an owner/],
    ['hub:maker/sums//x', /a part of its path is empty/],
    ['hub:maker/sums/a\\..\\b', /has a sign that no file name may have everywhere/],
    ['hub:maker/sums/C:/x', /has a sign that no file name/],
    ['hub:maker/sums/nul.txt', /"nul\.txt" is a device on Windows/],
    ['hub:maker/sums/dot.', /ends with a dot/],
    ['/etc/passwd', /is no name of a hub/],
    ['a/b/c', /is no name of a hub/],
  ])('refuses the name %s', async (wrong, sentence) => {
    const { exitCode, stderr } = await started(['fetch', wrong]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(sentence);
    oneLine(stderr);
    expect(server.seen).toEqual([]);
  });

  it('says in a sentence that there is no such file, data set or hub', async () => {
    for (const [args, env, sentence] of [
      [['hub:maker/sums/test.jsonl'], {}, /has no file hub:maker\/sums\/test\.jsonl\. It has data\/train\.jsonl\.$/],
      [['hub:maker/none/x'], {}, /has no data set maker\/none, or it is private\./],
      [
        [name],
        { HF_ENDPOINT: 'http://127.0.0.1:9' },
        /127\.0\.0\.1:9 cannot be reached: .* Check the network, or name a mirror/,
      ],
      [[name, '--hub', 'ftp://x'], {}, /The hub ftp:\/\/x is no http address\./],
      [
        [name, '--hub', '/no/such/folder'],
        {},
        /The hub folder has no file \/no\/such\/folder\/maker\/sums\/data\/train\.jsonl\./,
      ],
      [[name, '--hub', 'https://me:secret@hub.test'], {}, /The hub hub\.test has a password in its address\./],
    ] as const) {
      const { exitCode, stderr } = await started(['fetch', ...args], env);
      expect(exitCode).toBeGreaterThan(0);
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toMatch(/secret/);
      oneLine(stderr);
    }
  });

  it('never tells the token', async () => {
    server.gated.set('maker/sums', 'hf_right');
    const env = { HF_TOKEN: 'hf_wrong' };
    const { stdout, stderr } = await started(['fetch', name, '--json'], env);
    expect(stderr).toMatch(/granted access.*the token of that account/);
    expect(stdout + stderr).not.toContain('hf_wrong');
    expect((await started(['fetch', name], { HF_TOKEN: 'hf_right' })).exitCode).toBe(0);
    const files = await readdir(cache, { recursive: true, withFileTypes: true });
    for (const file of files.filter((each) => each.isFile())) {
      expect(await readFile(join(file.parentPath, file.name), 'utf8')).not.toMatch(/hf_(right|wrong)/);
    }
  });
});

describe('a run on a data set of a hub', { timeout: 60_000 }, () => {
  it('fetches it before anything else, keeps its hash, and goes on without the hub', async () => {
    const experiment = await hubExperiment({ pins: { [name]: sha256(problems) } });
    const folder = join(cache, 'run');
    const { exitCode, stdout, stderr } = await started([
      'train',
      experiment,
      '--run-dir',
      folder,
      '--allow-unsafe-sandbox',
    ]);
    expect(stderr).toBe('');
    expect(exitCode).toBe(0);
    expect(stdout.indexOf('Fetching')).toBeLessThan(stdout.indexOf('local trainer'));
    const frozen = JSON.parse(await readFile(join(folder, 'experiment.json'), 'utf8')) as { files: object };
    expect(frozen.files).toEqual({ [name]: sha256(problems) });
    const offline = { HF_ENDPOINT: 'http://127.0.0.1:9' };
    const again = await started(['train', experiment, '--allow-unsafe-sandbox'], offline);
    expect(again.exitCode).toBe(0);
  });

  it('is refused where the file is not the pinned one, before a folder is made', async () => {
    const experiment = await hubExperiment({ pins: { [name]: 'a'.repeat(64) } });
    const folder = join(cache, 'run');
    const { exitCode, stderr } = await started(['train', experiment, '--run-dir', folder]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${name} is pinned to ${'a'.repeat(64)}, but `);
    expect(stderr).toContain(`has ${sha256(problems)}.`);
    oneLine(stderr);
    await expect(readdir(folder)).rejects.toThrow();
  });

  it.each([
    [{ pins: { [name]: 'abc' } }, /pins\.hub:.* \(line \d+\) must be a SHA-256/],
    [{ pins: { 'hub:maker/other/x': 'a'.repeat(64) } }, /pins a file that nothing here names/],
    [
      { data: { train: 'hub:maker/sums/../../x' } },
      /data\.train \(line \d+\) names no file of a hub: its path has "\.\."/,
    ],
  ])('is refused where the experiment says %j', async (change, sentence) => {
    const { exitCode, stderr } = await started(['train', await hubExperiment(change)]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(sentence);
    expect(server.seen).toEqual([]);
  });

  it('is examined by the doctor, as an experiment and as a file', async () => {
    for (const what of [await hubExperiment(), name]) {
      const { exitCode, stdout } = await started(['doctor', what]);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/12/);
    }
  });

  it('takes it from a hub folder', async () => {
    const folder = join(cache, 'mirror', 'maker', 'sums', 'data');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'train.jsonl'), problems);
    const { exitCode } = await started(['doctor', await hubExperiment(), '--hub', join(cache, 'mirror')]);
    expect(exitCode).toBe(0);
    expect(server.seen).toEqual([]);
  });
});

it('tests the template of a model of a hub', { timeout: 60_000 }, async () => {
  const template =
    '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
  server.put('models/maker/small', 'tokenizer.json', JSON.stringify(tinyTokenizer()));
  server.put('models/maker/small', 'tokenizer_config.json', JSON.stringify({ eos_token: '<|im_end|>' }), false);
  server.put('models/maker/small', 'chat_template.jinja', template, false);
  const { stdout } = await started(['template', 'maker/small@v1', '--json']);
  expect(summaryOf(stdout)).toMatchObject({ kind: 'summary', goldenTokens: expect.any(Number) });
  expect(server.seen.map(({ path }) => path)).toContain('/maker/small/resolve/v1/tokenizer.json');
  const fetched = await started(['fetch', 'maker/small@v1', '--json']);
  expect(summaryOf(fetched.stdout)).toMatchObject({ files: { 'chat_template.jinja': sha256(template) } });
  const missing = await started(['template', 'maker/none']);
  expect(missing.stderr).toMatch(/has no model maker\/none, or it is private/);
});
