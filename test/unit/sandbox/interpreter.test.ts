import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'interpreter-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function fake(name: string, script: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

it('finds the binary behind a command, with its version and its folders', async () => {
  const found = await resolveInterpreter();
  expect(found.path).toBe(await realpath(found.path));
  expect(found.version).toMatch(/^3\.\d+\.\d+$/);
  expect(found.sysPath.length).toBeGreaterThan(0);
  expect(found.sysPath).not.toContain('');
});

it('goes behind a script that starts another Python', async () => {
  const real = await resolveInterpreter();
  const shim = await fake('shim', `exec ${real.path} "$@"`);
  expect((await resolveInterpreter(shim)).path).toBe(real.path);
});

it('refuses a missing interpreter by its path', async () => {
  await expect(resolveInterpreter('/nowhere/python3')).rejects.toMatchObject({
    code: 'python',
    message: 'Python not found: /nowhere/python3.',
    hint: expect.stringContaining('3.9'),
  });
});

it('refuses an interpreter older than 3.9 by path and version', async () => {
  const old = await fake(
    'old',
    `echo '{"path": "/opt/old/python", "version": [3, 8, 1], "prefix": "/opt/old", "sysPath": [], "packages": {}}'`,
  );
  await expect(resolveInterpreter(old)).rejects.toMatchObject({
    code: 'python',
    message: '/opt/old/python is Python 3.8.1, and 3.9 or newer is needed.',
  });
});

it('refuses what does not answer as Python does, with its own words', async () => {
  const broken = await fake('broken', 'echo "cannot load libpython" >&2; exit 1');
  await expect(resolveInterpreter(broken)).rejects.toMatchObject({
    code: 'python',
    message: `${broken} does not work as a Python interpreter: cannot load libpython.`,
  });
  const silent = await fake('silent', 'echo hello');
  await expect(resolveInterpreter(silent)).rejects.toMatchObject({ code: 'python' });
});

it('refuses a file that cannot be executed', async () => {
  const path = join(folder, 'plain');
  await writeFile(path, 'not a program');
  await expect(resolveInterpreter(path)).rejects.toMatchObject({ code: 'python' });
});
