import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';
import { SandboxFusion } from '../../../src/sandbox/sandboxFusion';

const { signal } = new AbortController();
let server: Server;
let url: string;
let failures = 0;

// Follows the documented shape: runs the program for real, and fails as often as it is told to.
beforeAll(async () => {
  const { path } = await resolveInterpreter();
  server = createServer(async (request, response) => {
    const asked = JSON.parse(await text(request)) as { code: string; language: string; run_timeout: number };
    response.setHeader('content-type', 'application/json');
    if (request.url !== '/run_code' || asked.language !== 'python') {
      response.statusCode = 404;
      return void response.end();
    }
    if (failures > 0) {
      failures -= 1;
      return void response.end(JSON.stringify({ status: 'SandboxError', message: 'no pod', run_result: null }));
    }
    const run = await execa(path, ['-c', asked.code], { reject: false, timeout: asked.run_timeout * 1000 });
    const result = {
      status: run.timedOut ? 'TimeLimitExceeded' : 'Finished',
      execution_time: run.durationMs / 1000,
      return_code: run.exitCode ?? null,
      stdout: run.stdout === '' ? '' : `${run.stdout}\n`,
      stderr: run.stderr,
    };
    const status = run.exitCode === 0 ? 'Success' : 'Failed';
    response.end(JSON.stringify({ status, message: '', compile_result: null, run_result: result, files: {} }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

const sandbox = (change = {}) =>
  new SandboxFusion(url, { wallSeconds: 10, outputBytes: 256, concurrency: 4, ...change });

it('prints a last expression, takes fences off, and tells errors from time limits', async () => {
  await sandbox().probe();
  const run = (code: string) => sandbox().run(code, 1, signal);
  expect(await run('```python\n47*86+125\n```')).toMatchObject({ status: 'ok', stdout: '4167\n', level: 'remote' });
  expect(await run('1 / 0')).toMatchObject({
    status: 'error',
    exitCode: 1,
    stderr: expect.stringContaining('ZeroDiv'),
  });
  expect(await run('print("x" * 999)')).toMatchObject({ truncated: true });
  expect((await sandbox({ wallSeconds: 1 }).run('while True: pass', 1, signal)).status).toBe('timeout');
});

it('says in a sentence what is wrong with a server', async () => {
  const once = createServer();
  await new Promise<void>((done) => once.listen(0, '127.0.0.1', done));
  const { port } = once.address() as AddressInfo;
  await new Promise((done) => once.close(done));
  const closed = new SandboxFusion(`http://127.0.0.1:${port}`, { wallSeconds: 1, outputBytes: 64, concurrency: 1 });
  await expect(closed.probe()).rejects.toThrow(/^The sandbox server cannot run .*: .*ECONNREFUSED 127\.0\.0\.1:\d+\.$/);
  const elsewhere = new SandboxFusion(`${url}/not/there`, { wallSeconds: 1, outputBytes: 64, concurrency: 1 });
  await expect(elsewhere.probe()).rejects.toThrow(/it answered 404\.$/);
});

it('tries again when the server fails, and then says that it is no fault of the code', async () => {
  failures = 2;
  expect((await sandbox().run('6 * 7', 1, signal)).stdout).toBe('42\n');
  failures = 3;
  expect(await sandbox().run('6 * 7', 1, signal)).toMatchObject({
    status: 'infrastructure',
    stderr: expect.stringMatching('no pod'),
  });
  const nowhere = new SandboxFusion('http://127.0.0.1:9', { wallSeconds: 1, outputBytes: 256, concurrency: 1 });
  await expect(nowhere.probe()).rejects.toMatchObject({ code: 'python' });
});
