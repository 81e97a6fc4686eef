import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { sweepSandboxFolders, temporaryRoot } from '../../../src/sandbox/sandboxFolder';
import { type SandboxLevel, sandboxLevels } from '../../../src/schema/sandboxLevels';
import type { ToolResult } from '../../../src/schema/trajectory';

const limits = { wallSeconds: 8, cpuSeconds: 4, outputBytes: 4096, concurrency: 2 };
const never = new AbortController().signal;
setMaxListeners(0, never);
let interpreter: Interpreter;
let sandbox: PythonSandbox;

beforeAll(async () => {
  interpreter = await resolveInterpreter();
  sandbox = new PythonSandbox(interpreter, limits);
});
afterAll(() => sandbox.dispose());

const run = (code: string, seed = 1) => sandbox.run(code, seed, never);

async function withLimits(
  changed: Partial<typeof limits>,
  code: string,
  ...levels: SandboxLevel[]
): Promise<ToolResult> {
  const own = new PythonSandbox(interpreter, { ...limits, ...changed }, levels.length > 0 ? levels : sandboxLevels);
  try {
    return await own.run(code, 1, never);
  } finally {
    own.dispose();
  }
}

/** Part of the path of the folders of the sandboxes here, which each process of theirs has on its command line. */
const ownFolders = `retool-sandbox-${process.pid}-`;

/** Linux: pids whose command line holds `text`. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

describe('what a call prints', () => {
  it.each([
    ['an expression', '47*86+125', '4167\n'],
    ['an expression after a semicolon', 'x=5; x', '5\n'],
    ['an expression over several lines', 'sum([\n  1,\n  2,\n  3,\n])', '6\n'],
    ['with Windows line ends', 'x = 2\r\nx ** 10\r\n', '1024\n'],
    ['with a comment at the end', 'x = 7\nx  # the answer', '7\n'],
    ['text as print would', "'a' + 'b'", 'ab\n'],
    ['nothing for None', 'None', ''],
    ['nothing for a call that returns None', 'def f():\n  print("hi")\nf()', 'hi\n'],
    ['nothing for print itself', 'print(1)', '1\n'],
    ['nothing for None after a semicolon', 'x = 1; print(x)', '1\n'],
    ['nothing for an assignment', 'x = 1\ny = x + 1', ''],
    ['nothing inside a block', 'for i in range(3):\n  i', ''],
    ['code in a fence', '```python\nprint(41 + 1)\n```', '42\n'],
    ['code in a fence without a language', '```\n41 + 1\n```\n', '42\n'],
    ['code after a byte order mark', '\ufeffprint(1)', '1\n'],
    ['nothing for nothing', '', ''],
    ['text beyond ASCII', 'print("答案是 3.14")', '答案是 3.14\n'],
    ['a last line without its end', 'print("tail", end="")', 'tail'],
  ])('shows %s', async (_, code, expected) => {
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: expected, stderr: '', exitCode: 0 });
  });

  it('keeps the head and the tail of a flood and counts what is between', async () => {
    const result = await run('for i in range(100): print("x" * 49_999)\nprint("end")');
    expect(result).toMatchObject({ status: 'ok', truncated: true });
    const left = Number(/\n\.\.\. (\d+) bytes left out \.\.\.\n/.exec(result.stdout)?.[1]);
    expect(left).toBe(5_000_004 - 4096);
    expect(result.stdout.endsWith('x\nend\n')).toBe(true);
  });

  it('ends a flood that does not end', async () => {
    const result = await run('while True: print("x" * 1_000_000)');
    expect(result).toMatchObject({ status: 'outputLimit', truncated: true, signal: 'SIGKILL' });
  });

  it('never cuts a character', async () => {
    const result = await run('print("é漢" * 3000)');
    expect(result.truncated).toBe(true);
    expect(result.stdout).not.toContain('\ufffd');
  });

  it('shows bytes that are no text as replacement characters', async () => {
    const result = await run('import sys; _ = sys.stdout.buffer.write(b"\\xff\\xfe\\x00ok")');
    expect(result).toMatchObject({ status: 'ok', stdout: '\ufffd\ufffdok' });
  });
});

describe('what a call prints is text', () => {
  it.each([
    ['colours', 'print("\\x1b[1;31mred\\x1b[0m")', 'red\n'],
    ['titles of terminals', 'print("\\x1b]0;title\\x07a\\x1b]8;;http://x\\x1b\\\\b")', 'ab\n'],
    ['eight-bit sequences and bells', 'print("a\\x9b\\x07b\\x00\\x7f")', 'ab\n'],
    ['an escape that does not end', 'print("a\\x1b")', 'a\n'],
    ['carriage returns, which begin a line', 'print("10%\\r20%\\r\\n30%")', '10%\n20%\n30%\n'],
  ])('without %s', async (_, code, expected) => {
    const both = `import sys\n${code}\n${code.replace(/\)$/, ', file=sys.stderr)')}`;
    expect(await run(both)).toMatchObject({ status: 'ok', stdout: expected, stderr: expected });
  });
});

describe('how a call ends', () => {
  it('shows the frames of the code alone, and what was printed before', async () => {
    const result = await run('print("before")\ndef f():\n  return 1 / 0\nf()');
    expect(result).toMatchObject({ status: 'error', exitCode: 1, stdout: 'before\n' });
    expect(result.stderr).toBe(
      'Traceback (most recent call last):\n  File "<code>", line 4, in <module>\n  File "<code>", line 3, in f\n' +
        'ZeroDivisionError: division by zero\n',
    );
  });

  it.each([
    ['a syntax error', 'x = (1,', 'SyntaxError'],
    ['tabs mixed with spaces', 'if 1:\n\tx=1\n        y=2', 'TabError'],
    ['a NUL in the code', 'print(1)\0', 'null'],
    ['endless recursion', 'def f(): return f()\nf()', 'RecursionError'],
    ['reading the input', 'input()', 'EOFError'],
    ['more memory than there may be', 'x = b"x" * 2_000_000_000', 'MemoryError'],
    ['an exit with a sentence', 'import sys; sys.exit("no luck")', 'no luck'],
  ])('is an error after %s', async (_, code, text) => {
    const result = await run(code);
    expect(result).toMatchObject({ status: 'error', exitCode: 1 });
    expect(result.stderr).toContain(text);
    expect(result.stderr).not.toContain('runner');
  });

  it.each([
    ['os._exit(7)', 'import os\nprint("a")\nos._exit(7)', 7],
    ['sys.exit(3)', 'import sys\nprint("a")\nsys.exit(3)\nprint("b")', 3],
    ['exit(4)', 'print("a")\nexit(4)', 4],
    ['quit(0)', 'print("a")\nquit(0)', 0],
    ['SystemExit in a function', 'def f(): raise SystemExit\nprint("a")\nf()', 0],
  ])('takes the status from the kernel after %s', async (_, code, exitCode) => {
    const status = exitCode === 0 ? 'ok' : 'error';
    expect(await run(code)).toMatchObject({ status, exitCode, stdout: 'a\n' });
  });

  it('believes no traceback that the code prints', async () => {
    const code = 'import sys\nprint("Traceback: ZeroDivisionError", file=sys.stderr)\nprint(1)';
    expect(await run(code)).toMatchObject({ status: 'ok', stdout: '1\n' });
  });

  it('is killed after a crash of the interpreter', async () => {
    expect(await run('import os; print("a"); os.abort()')).toMatchObject({ status: 'killed', stdout: 'a\n' });
  });

  it('waits for threads and runs exit handlers', async () => {
    const code =
      'import atexit, threading, time\natexit.register(print, "bye")\n' +
      'threading.Thread(target=lambda: (time.sleep(0.1), print("thread"))).start()\nprint("main")';
    expect((await run(code)).stdout).toBe('main\nthread\nbye\n');
  });

  it('keeps what was printed when the wall clock ends it', async () => {
    const result = await withLimits({ wallSeconds: 0.5 }, 'import time\nprint("a", end="")\ntime.sleep(60)');
    expect(result).toMatchObject({ status: 'timeout', stdout: 'a', signal: 'SIGKILL' });
    expect(result.seconds).toBeLessThan(5);
  });

  it('is a timeout when the CPU limit ends it', async () => {
    const result = await withLimits({ cpuSeconds: 1 }, 'print("a")\nwhile True: pass');
    expect(result).toMatchObject({ status: 'timeout', stdout: 'a\n', signal: 'SIGXCPU' });
    expect(result.cpuSeconds).toBeGreaterThan(0.5);
  });

  it('ends code that ignores signals', async () => {
    const code = 'import signal\nfor s in (2, 15, 14, 24): signal.signal(s, signal.SIG_IGN)\nwhile True: pass';
    expect((await withLimits({ wallSeconds: 0.5 }, code)).status).toBe('timeout');
  });

  it('says how much CPU and memory it took', async () => {
    const result = await run('x = sum(range(1_000_000)); y = b"x" * 50_000_000');
    expect(result.cpuSeconds).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(result.peakMemoryBytes).toBeGreaterThan(50_000_000);
  });
});

describe('what a call can see', () => {
  it('gives the same random numbers for the same seed', async () => {
    const code = 'import random\nrandom.random()';
    const [first, again, other] = [await run(code, 7), await run(code, 7), await run(code, 8)];
    expect(again.stdout).toBe(first.stdout);
    expect(other.stdout).not.toBe(first.stdout);
    expect((await run('print(hash("a"))', 1)).stdout).toBe((await run('print(hash("a"))', 2)).stdout);
  });

  it('shows no address, which would be another in each run', async () => {
    expect((await run('(i for i in range(3))')).stdout).toBe('<generator object <genexpr> at 0x0>\n');
    expect((await run('print("0x7f12 is a number", hex(255))')).stdout).toBe('0x7f12 is a number 0xff\n');
  });

  it('hides the environment of the host', async () => {
    process.env.RETOOL_TEST_KEY = 'secret-4711';
    const { stdout } = await run('import os; print(dict(os.environ))');
    delete process.env.RETOOL_TEST_KEY;
    expect(stdout).not.toContain('secret-4711');
    expect(stdout).not.toContain('PYTHONPATH');
  });

  it('gives each call a folder of its own and removes it', async () => {
    const code = 'import os\nopen("left", "w").write("x")\nos.mkdir("d")\nprint(os.getcwd(), os.listdir())';
    const [first, second] = [await run(code), await run(code)];
    for (const { stdout } of [first, second]) expect(stdout).toMatch(/^\/\S+ \['(left', 'd|d', 'left)'\]\n$/);
  });

  it('imports the standard library and nothing from its folder', async () => {
    const code = 'open("planted.py", "w").write("")\nimport fractions, json\nimport planted';
    expect((await run(code)).stderr).toContain("No module named 'planted'");
  });

  it('holds no file of the host but the three standard ones', async () => {
    const code =
      'import os\ndef writes(fd):\n  try: return os.write(fd, b"x")\n  except OSError: return 0\nsum(map(writes, range(3, 256)))';
    expect((await run(code)).stdout).toBe('0\n');
  });

  it('is the main module', async () => {
    const code = 'import __main__\nx = 3\nif __name__ == "__main__": print(__main__.x, "run" in dir())';
    expect((await run(code)).stdout).toBe('3 False\n');
  });

  it('gets code longer than a command line', async () => {
    const code = `x = "${'a'.repeat(400_000)}"\nlen(x)`;
    expect((await run(code)).stdout).toBe('400000\n');
  });
});

describe.runIf(process.platform === 'linux')('what a call leaves behind', () => {
  it.each([
    ['a child in its group', 'import os, time\nif os.fork() == 0: time.sleep(60); os._exit(0)\nprint("done")'],
    [
      'a child in a session of its own',
      'import os, time\nif os.fork() == 0:\n  os.setsid()\n  time.sleep(60); os._exit(0)\ntime.sleep(0.2)\nprint("done")',
    ],
    [
      'a program in a session of its own',
      `import subprocess\np = subprocess.Popen(["sleep", "61.${process.pid}"], start_new_session=True)\nprint("done")`,
    ],
  ])('does not wait for %s, and kills it, where it cannot forbid it', async (_, code) => {
    const result = await withLimits({}, code, 'limits');
    expect(result).toMatchObject({ status: 'ok', stdout: 'done\n', level: 'limits' });
    expect(result.seconds).toBeLessThan(7);
    expect(processesWith(`61.${process.pid}`)).toEqual([]);
  });

  it('leaves no process after twenty timeouts', async () => {
    const others = processesWith(ownFolders);
    const own = new PythonSandbox(interpreter, { ...limits, wallSeconds: 0.2, concurrency: 10 });
    await own.probe();
    const results = await Promise.all(Array.from({ length: 20 }, () => own.run('while True: pass', 1, never)));
    own.dispose();
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['timeout']));
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
      .split(' ')
      .filter(Boolean);
    const zombies = children.filter((pid) => / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1')));
    expect(zombies).toEqual([]);
    await expect.poll(() => processesWith(ownFolders).filter((pid) => !others.includes(pid))).toEqual([]);
  });

  it('kills running code when its host is killed', async () => {
    const code = 'import os, sys\nos.closerange(100, 200)\nwhile True: pass';
    const script =
      `import { resolveInterpreter } from '${join(process.cwd(), 'src/sandbox/interpreter')}';` +
      `import { PythonSandbox } from '${join(process.cwd(), 'src/sandbox/pythonSandbox')}';` +
      `const sandbox = new PythonSandbox(await resolveInterpreter(), { wallSeconds: 60, cpuSeconds: 60, outputBytes: 64, concurrency: 1 });` +
      `await sandbox.probe(); void sandbox.run(${JSON.stringify(code)}, 1, new AbortController().signal); console.log('running');`;
    const { outputFiles } = await build({
      stdin: { contents: script, resolveDir: process.cwd(), loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      loader: { '.py': 'text' },
      write: false,
    });
    const host = spawn(process.execPath, ['--input-type=module', '-e', outputFiles[0]!.text], { cwd: process.cwd() });
    await new Promise((resolve) => host.stdout.once('data', resolve));
    const prefix = `retool-sandbox-${host.pid}-`;
    await expect.poll(() => processesWith(prefix).length, { timeout: 10_000 }).toBeGreaterThan(0);
    host.kill('SIGKILL');
    await expect.poll(() => processesWith(prefix), { timeout: 2_000 }).toEqual([]);
    await expect.poll(() => sweepSandboxFolders(), { timeout: 2_000 }).toBeGreaterThan(0);
    expect(readdirSync(await temporaryRoot()).filter((name) => name.startsWith(prefix))).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a folder that code took away', () => {
  it.each([
    ['removed', 'os.chdir("/"); os.rmdir(d)'],
    ['moved and replaced by a file', 'os.rename(d, d + "-mine"); open(d, "w").close()'],
    ['replaced by a link', 'os.chdir("/"); os.rmdir(d); os.symlink("/", d)'],
    ['made unreadable', 'open("a", "w").close(); os.chmod(d, 0)'],
    ['removed with the whole sandbox', 'import shutil; shutil.rmtree(os.path.dirname(d))'],
  ])('is another one for the next call: %s', async (_, code) => {
    const own = new PythonSandbox(interpreter, { ...limits, concurrency: 1 }, ['limits']);
    try {
      const taken = `import os\nd = os.getcwd()\n${code}\nprint("taken")`;
      const next = 'open("x", "w").write("fine")\nprint(open("x").read())';
      for (let n = 0; n < 4; n++) {
        expect((await own.run(taken, 1, never)).status).not.toBe('infrastructure');
        expect(await own.run(next, 1, never)).toMatchObject({ status: 'ok', stdout: 'fine\n' });
      }
    } finally {
      own.dispose();
    }
    const root = await temporaryRoot();
    await expect.poll(() => readdirSync(root).filter((name) => name.startsWith(ownFolders)).length).toBe(1);
  });
});

describe('the sandbox', () => {
  it('runs no more calls at once than it may, and says how long each waited', async () => {
    const own = new PythonSandbox(interpreter, { ...limits, concurrency: 1 });
    const sleep = 'import time; time.sleep(0.3)';
    await own.run(sleep, 1, never);
    const [first, second] = await Promise.all([1, 2].map(() => own.run(sleep, 1, never)));
    own.dispose();
    expect(second!.queueSeconds - first!.queueSeconds).toBeGreaterThanOrEqual(0.3);
    expect(first!.seconds).toBeGreaterThanOrEqual(0.3);
  });

  it('rejects on abort, whether a call runs or waits', async () => {
    const own = new PythonSandbox(interpreter, { ...limits, concurrency: 1 });
    await own.probe();
    const stop = new AbortController();
    const calls = [1, 2].map(() => own.run('while True: pass', 1, stop.signal));
    setTimeout(() => stop.abort(), 100);
    const reasons = (await Promise.allSettled(calls)).map((call) => call.status === 'rejected' && call.reason.name);
    expect(reasons).toEqual(['AbortError', 'AbortError']);
    await expect(own.run('1', 1, stop.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect((await own.run('6 * 7', 1, never)).stdout).toBe('42\n');
    own.dispose();
  });

  it('reports an interpreter that is gone as a failure of the sandbox', async () => {
    const own = new PythonSandbox({ ...interpreter, path: '/nowhere/python3' }, limits);
    const result = await own.run('1', 1, never);
    expect(result).toMatchObject({ status: 'infrastructure', exitCode: null });
    expect(result.stderr).toContain('/nowhere/python3');
    await expect(own.probe()).rejects.toMatchObject({ code: 'python' });
    own.dispose();
  });

  it('removes its files when it is disposed of', async () => {
    const own = new PythonSandbox(interpreter, limits);
    await own.probe();
    const root = await temporaryRoot();
    const folders = () => readdirSync(root).filter((name) => name.startsWith(ownFolders));
    const others = folders().length - 1;
    own.dispose();
    await expect.poll(() => folders().length).toBe(others);
  });

  it('removes the folders of processes that are gone, and no others', async () => {
    const stale = join(await temporaryRoot(), 'retool-sandbox-999999999-abc');
    const alive = join(await temporaryRoot(), `retool-sandbox-${process.ppid}-abc`);
    mkdirSync(stale);
    mkdirSync(alive, { recursive: true });
    await sweepSandboxFolders();
    expect([existsSync(stale), existsSync(alive)]).toEqual([false, true]);
    rmSync(alive, { recursive: true });
  });
});
