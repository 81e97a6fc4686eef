import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { levelsOf } from '../../../src/schema/sandboxLevels';

const limits = { wallSeconds: 5, cpuSeconds: 2, outputBytes: 4096, concurrency: 1 };
const { signal } = new AbortController();

// No macOS was at hand: this is the nearest thing. What Seatbelt itself keeps code from is not tried.
describe.runIf(process.platform === 'linux')('a sandbox without what only Linux has', { timeout: 60_000 }, () => {
  let folder: string;
  let sandbox: PythonSandbox;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retool-darwin-'));
  });
  afterEach(async () => {
    sandbox.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  const profile = () => join(folder, 'profile');

  async function start(seatbelt: string): Promise<PythonSandbox> {
    const interpreter = await resolveInterpreter();
    const path = join(folder, 'python');
    const script = await readFile(join('test', 'unit', 'sandbox', 'darwin.py'), 'utf8');
    const text = script.replace('@SEATBELT@', seatbelt).replace('@PROFILE@', profile());
    await writeFile(path, `#!${interpreter.path}\n${text}`);
    await chmod(path, 0o755);
    sandbox = new PythonSandbox({ ...interpreter, path }, limits, levelsOf('darwin'));
    return sandbox;
  }

  it.each([
    ['absent', /image not found/],
    ['refusing', /sandbox_init: operation not permitted by policy/],
    ['idle', /its trial gave "42 allowed allowed allowed refused allowed"/],
  ])('claims no boundary where Seatbelt is %s', async (seatbelt, reason) => {
    const { level, refused } = await (await start(seatbelt)).climb();
    expect(level).toBe('limits');
    expect(refused).toEqual([{ level: 'seatbelt', reason: expect.stringMatching(reason) }]);
  });

  it('gives Seatbelt a profile that denies what it does not name', async () => {
    await (await start('idle')).climb();
    const text = await readFile(profile(), 'utf8');
    expect(text).toMatch(/^\(version 1\)\n\(deny default\)\n/);
    expect(text).not.toMatch(/allow (default|process-fork|process-exec|network|mach)/);
    const depths = [...text].map((letter) => ({ '(': 1, ')': -1 })[letter] ?? 0);
    expect(depths.reduce<number>((sum, step) => sum + step, 0)).toBe(0);
    const writes = [...text.matchAll(/\(allow file-write\* \(subpath "([^"]+)"\)\)/g)].map(([, path]) => path);
    expect(writes).toEqual([expect.stringContaining('retool-sandbox-')]);
  });

  it('runs code, ends it, and leaves nothing of it', async () => {
    const python = await start('absent');
    const printed = await python.run('import math\nopen("a", "w").write("b")\nmath.factorial(20)', 1, signal);
    expect(printed).toMatchObject({ status: 'ok', stdout: '2432902008176640000\n', level: 'limits' });
    expect(await python.run('import os\nos.listdir()', 1, signal)).toMatchObject({ stdout: '[]\n' });
    expect(await python.run('while True: pass', 1, signal)).toMatchObject({ status: 'timeout' });
    const left = 'import os, time\npid = os.fork()\nif pid == 0:\n    while True: time.sleep(1)\nprint(pid)';
    const { stdout } = await python.run(left, 1, signal);
    const state = () =>
      readFile(`/proc/${Number(stdout)}/stat`, 'utf8').then(
        (text) => text.split(') ')[1]?.[0],
        () => 'gone',
      );
    await expect.poll(state).toMatch(/Z|gone/); // whose parent may be slow to take it
  });
});
