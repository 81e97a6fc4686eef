import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSandboxVenv } from '../../../src/sandbox/makeSandboxVenv';

const { signal } = new AbortController();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'venv-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function interpreter(name: string, script: string) {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return { path, version: '3.11.2', prefix: '/usr', sysPath: [], packages: {} };
}

it('says in one sentence that venv is missing', async () => {
  const bare = await interpreter('bare', 'echo "No module named venv" >&2; exit 1');
  await expect(makeSandboxVenv(bare, join(folder, 'none'), undefined, signal)).rejects.toMatchObject({
    code: 'python',
    message: `${bare.path} has no venv or no pip.`,
    hint: expect.stringContaining('python3-venv'),
  });
});

it('says in one sentence that pip is missing', async () => {
  const script = `mkdir -p "$3/bin"; printf '#!/bin/sh\\necho "No module named pip" >&2; exit 1' > "$3/bin/python"; chmod +x "$3/bin/python"`;
  const bare = await interpreter('pipless', script);
  await expect(makeSandboxVenv(bare, join(folder, 'pipless-env'), undefined, signal)).rejects.toMatchObject({
    message: `${bare.path} has no venv or no pip.`,
  });
});

it('names the last words of pip without its colours, and stops when it is told to', async () => {
  const script = `mkdir -p "$3/bin"; printf '#!/bin/sh\\nprintf "\\\\033[31mERROR: no route\\\\033[0m" >&2; exit 1' > "$3/bin/python"; chmod +x "$3/bin/python"`;
  await expect(
    makeSandboxVenv(await interpreter('far', script), join(folder, 'far-env'), undefined, signal),
  ).rejects.toMatchObject({ message: 'numpy and sympy cannot be installed: ERROR: no route.' });
  const stop = new AbortController();
  const slow = await interpreter('slow', 'exec sleep 60');
  const making = makeSandboxVenv(slow, join(folder, 'slow-env'), undefined, stop.signal);
  setTimeout(() => stop.abort(), 100);
  await expect(making).rejects.toMatchObject({ name: 'AbortError' });
});

it('installs numpy and sympy from the index that is named, and gives the new interpreter', async () => {
  const pip = `#!/bin/sh\\necho "$@" > ${folder}/asked\\n`;
  const script = `mkdir -p "$3/bin"; printf '${pip}' > "$3/bin/python"; chmod +x "$3/bin/python"`;
  const path = await makeSandboxVenv(
    await interpreter('full', script),
    join(folder, 'env'),
    'http://localhost/simple',
    signal,
  );
  expect(path).toBe(join(folder, 'env', 'bin', 'python'));
  expect(await readFile(join(folder, 'asked'), 'utf8')).toContain('--index-url http://localhost/simple numpy sympy');
});
