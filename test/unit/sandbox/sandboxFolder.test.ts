import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';
import { makeSandboxFolder, removeSandboxFolder, sweepSandboxFolders } from '../../../src/sandbox/sandboxFolder';
import { bundle } from '../../support/bundle';

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'retool-folder-test-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

/** Python's own calls make what Node cannot: paths longer than the system takes. */
async function python(folder: string, code: string): Promise<void> {
  const { path } = await resolveInterpreter();
  await execa(path, ['-c', `import os\nos.chdir(${JSON.stringify(folder)})\n${code}`]);
}

describe("a sandbox's folder is removed", () => {
  it.each([
    ['that is 3,000 folders deep', 'for _ in range(3000): os.mkdir("d"); os.chdir("d")\nopen("f", "w").close()'],
    [
      'whose folders have no permissions',
      'os.makedirs("a/b/c"); open("a/b/f", "w").close()\nfor path in ("a/b/c", "a/b", "a"): os.chmod(path, 0)',
    ],
    ['that itself has none', 'open("f", "w").close(); os.chmod(".", 0)'],
    ['with names that are taken', 'for n in range(9): os.makedirs(f"a/{n}/a/{n}"); os.makedirs(f"{n}/a")'],
  ])('%s', async (_, code) => {
    const folder = await makeSandboxFolder();
    await python(folder, code);
    removeSandboxFolder(folder);
    expect(existsSync(folder)).toBe(false);
  });

  it('without following the links that code left in it or in its place', async () => {
    writeFileSync(join(scratch, 'mine'), '');
    const folder = await makeSandboxFolder();
    mkdirSync(join(folder, 'a'));
    for (const link of ['link', 'a/link']) symlinkSync(scratch, join(folder, link));
    removeSandboxFolder(folder);
    expect(existsSync(folder)).toBe(false);
    symlinkSync(scratch, folder);
    removeSandboxFolder(folder);
    expect([existsSync(folder), readdirSync(scratch)]).toEqual([false, ['mine']]);
  });

  it('when its process was killed, and quickly', async () => {
    const stale = `${await makeSandboxFolder()}`.replace(`-${process.pid}-`, '-999999999-');
    mkdirSync(stale);
    await python(stale, 'for _ in range(3000): os.mkdir("d"); os.chdir("d")');
    const began = performance.now();
    expect(await sweepSandboxFolders()).toBe(1);
    expect(performance.now() - began).toBeLessThan(2000);
    expect(existsSync(stale)).toBe(false);
  });
});

const mounts = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(mounts)('where /dev/shm is full', { timeout: 60_000 }, () => {
  /** Runs a snippet with a full /dev/shm, in mounts of its own. @returns what the sandbox says. */
  async function runFull(tmp: string): Promise<{ status: string; stdout: string; stderr: string }> {
    const at = (name: string) => JSON.stringify(join(process.cwd(), 'src/sandbox', name));
    const script = join(scratch, 'run.mjs');
    await bundle({
      stdin: {
        contents: `import { resolveInterpreter } from ${at('interpreter')}; import { PythonSandbox } from ${at('pythonSandbox')};
          const limits = { wallSeconds: 9, cpuSeconds: 9, outputBytes: 64, concurrency: 1 };
          const sandbox = new PythonSandbox(await resolveInterpreter(), limits);
          const result = await sandbox.run('print(6 * 7)', 1, new AbortController().signal);
          const probe = await sandbox.probe().then(() => '', ({ message }) => message);
          console.log(JSON.stringify({ ...result, probe })); sandbox.dispose();`,
        resolveDir: process.cwd(),
        loader: 'ts',
      },
      outfile: script,
    });
    const fill = 'mount -t tmpfs -o size=16k,nr_inodes=2 none /dev/shm && touch /dev/shm/a';
    const { stdout } = await execa(
      'unshare',
      ['-m', 'sh', '-c', `${fill} && exec "$0" "$1"`, process.execPath, script],
      {
        env: { TMPDIR: tmp },
      },
    );
    return JSON.parse(stdout);
  }

  it('calls run with their files elsewhere', async () => {
    expect(await runFull(scratch)).toMatchObject({ status: 'ok', stdout: '42\n', probe: '' });
  });

  it('and everywhere else, too, the disk is blamed and not the interpreter', async () => {
    const result = await runFull('/dev/shm');
    expect(result).toMatchObject({
      status: 'infrastructure',
      probe: expect.stringMatching('The sandbox does not work: '),
    });
    expect(result.stderr).toMatch(/no space left on device.*\/dev\/shm/i);
  });
});
