import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapBounded } from '../../../src/lib/concurrency';
import { mulberry32 } from '../../../src/lib/seed';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { sandboxLevels } from '../../../src/sandbox/levels';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { temporaryRoot } from '../../../src/sandbox/sandboxFolder';

const limits = { wallSeconds: 30, cpuSeconds: 20, outputBytes: 4096, concurrency: 2 };
const { signal } = new AbortController();
setMaxListeners(0, signal);
const spin = 'while True: pass';
let interpreter: Interpreter;
let folder: string;
let host: string;

beforeAll(async () => {
  interpreter = await resolveInterpreter();
  folder = await mkdtemp(join(tmpdir(), 'retool-supervision-'));
  host = join(folder, 'host.mjs');
  const at = (name: string) => JSON.stringify(join(process.cwd(), 'src/sandbox', name));
  await build({
    stdin: {
      contents: `import { resolveInterpreter } from ${at('interpreter')}; import { PythonSandbox } from ${at('pythonSandbox')};
        const limits = { wallSeconds: 60, cpuSeconds: 60, outputBytes: 64, concurrency: 8 };
        const sandbox = new PythonSandbox(await resolveInterpreter(), limits, [process.argv[2]]);
        await sandbox.probe(); console.log('ready');
        for (let i = 0; i < 8; i++) void sandbox.run(${JSON.stringify(spin)}, 1, new AbortController().signal);`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    outfile: host,
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.py': 'text' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Found {
  readonly pid: number;
  readonly role: string;
  readonly parent: number;
  readonly state: string;
}

/** Linux: the processes of the sandboxes of a host. A child has the role of the server that it was forked from. */
function processesOf(hostPid: number): Found[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      if (!/^\d+$/.test(name) || !line.includes(`retool-sandbox-${hostPid}-`)) return [];
      const [state, parent] = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
      return [{ pid: Number(name), role: line.split('\0').at(-2)!, parent: Number(parent), state: state! }];
    } catch {
      return [];
    }
  });
}

const running = (hostPid: number) => processesOf(hostPid).filter(({ state }) => state === 'R').length;

describe.runIf(process.platform === 'linux')('a kill -9 while eight snippets spin', { timeout: 60_000 }, () => {
  const victims = ['host', 'broker', 'template', 'server'] as const;
  const cases = sandboxLevels.flatMap((level) => victims.map((victim) => ({ level, victim })));
  it.each(cases)('of the $victim at $level leaves no process a second later', async ({ level, victim }) => {
    const child = spawn(process.execPath, [host, level], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const ready = await new Promise<boolean>((done) => {
        child.stdout.once('data', () => done(true));
        child.once('exit', () => done(false));
      });
      if (!ready) return void process.stdout.write(`skipped: this machine does not offer ${level}\n`);
      await expect.poll(() => running(child.pid!), { timeout: 20_000 }).toBeGreaterThanOrEqual(8);
      const before = processesOf(child.pid!);
      const broker = before.find(({ role }) => role === 'broker')!;
      const template = before.find(({ parent, role }) => parent === broker.pid && role === 'light')!;
      const spinning = before.find(
        ({ parent, state, role }) =>
          state === 'R' && role === 'light' && parent !== broker.pid && before.some(({ pid }) => pid === parent),
      )!;
      const server = before.find(({ pid }) => pid === spinning.parent)!;
      const { pid } = { host: { pid: child.pid! }, broker, template, server }[victim];
      process.kill(pid, 'SIGKILL');
      const doomed =
        victim === 'server'
          ? [spinning.pid, pid]
          : before.map((one) => one.pid).filter((one) => one !== broker.pid || victim !== 'template');
      await delay(1000);
      const left = new Set(
        processesOf(child.pid!)
          .filter(({ state }) => state !== 'Z')
          .map((one) => one.pid),
      );
      expect(doomed.filter((one) => left.has(one))).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
    await expect
      .poll(() => processesOf(child.pid!).filter(({ state }) => state !== 'Z'), { timeout: 3000 })
      .toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a fork server', { timeout: 60_000 }, () => {
  it.each(['SIGKILL', 'SIGSTOP'] as const)('that gets %s is replaced, and its call tried again', async (kill) => {
    const own = new PythonSandbox(interpreter, { ...limits, wallSeconds: 3 });
    try {
      await own.probe();
      const call = own.run('import time; time.sleep(1)\nprint("done")', 1, signal);
      await delay(400);
      for (const { pid, role } of processesOf(process.pid)) {
        if (role === 'standard') process.kill(pid, kill);
      }
      expect(await call).toMatchObject({ status: 'ok', stdout: 'done\n' });
      expect((await own.run('6 * 7', 1, signal)).stdout).toBe('42\n');
    } finally {
      own.dispose();
    }
  });

  it('that dies with its call twice is a failure of the sandbox', async () => {
    const own = new PythonSandbox(interpreter, limits);
    try {
      await own.probe();
      const call = own.run(spin, 1, signal);
      for (let kills = 0; kills < 2; kills++) {
        await expect.poll(() => running(process.pid), { timeout: 5000 }).toBeGreaterThan(0);
        for (const { pid, role } of processesOf(process.pid)) if (role === 'light') process.kill(pid, 'SIGKILL');
        await delay(300);
      }
      expect(await call).toMatchObject({ status: 'infrastructure' });
    } finally {
      own.dispose();
    }
  });

  it('is replaced with its broker', async () => {
    const own = new PythonSandbox(interpreter, limits);
    try {
      await own.probe();
      const call = own.run('import time; time.sleep(0.5)\nprint("done")', 1, signal);
      await delay(200);
      for (const { pid, role } of processesOf(process.pid)) if (role === 'broker') process.kill(pid, 'SIGKILL');
      expect(await call).toMatchObject({ status: 'ok', stdout: 'done\n' });
    } finally {
      own.dispose();
    }
  });
});

/** Linux: resident bytes and open files of the broker. */
function brokerUse(): { readonly bytes: number; readonly files: number } {
  const { pid } = processesOf(process.pid).find(({ role }) => role === 'broker')!;
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return { bytes: pages * 4096, files: readdirSync(`/proc/${pid}/fd`).length };
}

describe.runIf(process.platform === 'linux')('many calls', { timeout: 600_000 }, () => {
  const count = Number(process.env.RETOOL_TEST_CALLS ?? 1500);
  it('of which some are killed and some crash are all right, and leave nothing', async () => {
    const own = new PythonSandbox(interpreter, { ...limits, wallSeconds: 0.5 });
    try {
      const random = mulberry32(7);
      const work = Array.from({ length: count }, (_, i) => ({ i, draw: random() }));
      const go = async ({ i, draw }: { i: number; draw: number }) => {
        if (draw < 0.05)
          return (
            (await own.run(`import time\nprint(${i}, end="", flush=True)\ntime.sleep(60)`, 1, signal)).status ===
            'timeout'
          );
        if (draw < 0.06) return (await own.run('import os; os.abort()', 1, signal)).status === 'killed';
        const result = await own.run(`open("f", "w").write("x")\n${i} * 3`, 1, signal);
        // A loaded machine may keep a process from running for half a second.
        return result.status === 'timeout' || result.stdout === `${i * 3}\n`;
      };
      await mapBounded(work.slice(0, 300), 16, signal, go);
      const [before, processes] = [brokerUse(), processesOf(process.pid).length];
      const ownFiles = readdirSync('/proc/self/fd').length;
      const right = await mapBounded(work, 16, signal, go);
      expect(right.filter((one) => !one)).toEqual([]);
      const after = brokerUse();
      expect(after.bytes - before.bytes).toBeLessThan(5_000_000);
      expect(after.files).toBeLessThanOrEqual(before.files);
      expect(processesOf(process.pid).length).toBeLessThanOrEqual(processes);
      expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(ownFiles);
      process.stdout.write(`${count} calls: broker grew by ${after.bytes - before.bytes} bytes\n`);
    } finally {
      own.dispose();
    }
    await expect.poll(() => processesOf(process.pid)).toEqual([]);
    const root = await temporaryRoot();
    await expect
      .poll(() => readdirSync(root).filter((name) => name.startsWith(`retool-sandbox-${process.pid}-`)))
      .toEqual([]);
  });
});
