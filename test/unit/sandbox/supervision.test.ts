import { spawn } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { mapBounded } from '../../../src/lib/concurrency';
import { mulberry32 } from '../../../src/lib/seed';
import { BrokerProcess } from '../../../src/sandbox/brokerProcess';
import { type Interpreter, resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { temporaryRoot } from '../../../src/sandbox/sandboxFolder';
import { serverKinds } from '../../../src/sandbox/serverKinds';
import { levelsOf } from '../../../src/schema/sandboxLevels';
import type { ToolResult } from '../../../src/schema/trajectory';
import { bundle } from '../../support/bundle';

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
  await bundle({
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
  const cases = levelsOf(process.platform).flatMap((level) => victims.map((victim) => ({ level, victim })));
  it.each(cases)('of the $victim at $level leaves no process', async ({ level, victim }) => {
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
      const left = () => {
        const running = processesOf(child.pid!).filter(({ state }) => state !== 'Z');
        return running.filter(({ pid: one }) => doomed.includes(one));
      };
      await expect.poll(left, { timeout: 3000 }).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
    await expect
      .poll(() => processesOf(child.pid!).filter(({ state }) => state !== 'Z'), { timeout: 3000 })
      .toEqual([]);
  });
});

/** Code that names its process first, so that it can be found once it runs, and then goes on. */
const named = (name: string, code: string) => `import ctypes, time\nctypes.CDLL(None).prctl(15, b"${name}")\n${code}`;

/** Waits until a call that names itself `name` runs in a process other than `earlier`. */
async function callNamed(name: string, earlier = 0): Promise<Found> {
  let found: Found | undefined;
  await expect
    .poll(
      () => {
        found = processesOf(process.pid).find(
          ({ pid }) => pid !== earlier && readFileSync(`/proc/${pid}/comm`, 'latin1').trim() === name,
        );
        return found;
      },
      { timeout: 20_000, interval: 20 },
    )
    .toBeDefined();
  return found!;
}

describe.runIf(process.platform === 'linux')(
  'a host that is killed while its sandbox starts',
  { timeout: 60_000 },
  () => {
    it.each([0, 20, 60, 120, 250])('leaves no process, %i ms after the broker came', async (milliseconds) => {
      const child = spawn(process.execPath, [host, 'landlock'], { stdio: 'ignore' });
      await expect.poll(() => processesOf(child.pid!).length, { timeout: 20_000, interval: 1 }).toBeGreaterThan(0);
      await delay(milliseconds);
      child.kill('SIGKILL');
      await expect
        .poll(() => processesOf(child.pid!).filter(({ state }) => state !== 'Z'), { timeout: 3000 })
        .toEqual([]);
    });

    it('leaves no broker that has been sent only a part of itself', async () => {
      const own = new BrokerProcess({
        ...{ interpreter, kinds: serverKinds(interpreter), levels: ['limits'], folder: folder, slots: 1 },
        ...{
          wallSeconds: 1,
          cpuSeconds: 1,
          outputBytes: 64,
          memoryBytes: 1 << 30,
          fileBytes: 1 << 20,
          floodBytes: 1 << 20,
        },
      });
      own.end();
      await expect(own.ladder).rejects.toMatchObject({ name: 'BrokerEnded' });
    });
  },
);

describe.runIf(process.platform === 'linux')('a fork server', { timeout: 60_000 }, () => {
  const sleep = 'time.sleep(2)\nprint("done")';
  let own: PythonSandbox;
  afterEach(() => own.dispose());

  it.each(['SIGKILL', 'SIGSTOP'] as const)('that gets %s is replaced, and its call tried again', async (kill) => {
    own = new PythonSandbox(interpreter, { ...limits, wallSeconds: 5 });
    const call = own.run(named('victim', sleep), 1, signal);
    process.kill((await callNamed('victim')).parent, kill);
    expect(await call).toMatchObject({ status: 'ok', stdout: 'done\n' });
    expect((await own.run('6 * 7', 1, signal)).stdout).toBe('42\n');
  });

  it('is replaced with its template and all that it has forked', async () => {
    own = new PythonSandbox(interpreter, limits);
    const call = own.run(named('victim', sleep), 1, signal);
    await callNamed('victim');
    for (const { pid, role } of processesOf(process.pid)) {
      if (role !== 'standard') continue;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended with the one before it.
      }
    }
    expect(await call).toMatchObject({ status: 'ok', stdout: 'done\n' });
  });

  it('that dies with its call twice is a failure of the sandbox', async () => {
    own = new PythonSandbox(interpreter, limits);
    const call = own.run(named('victim', spin), 1, signal);
    const first = await callNamed('victim');
    process.kill(first.parent, 'SIGKILL');
    process.kill((await callNamed('victim', first.pid)).parent, 'SIGKILL');
    expect(await call).toMatchObject({ status: 'infrastructure', stderr: 'its fork server ended' });
  });

  it('that is stuck takes no other call with it, however often', async () => {
    own = new PythonSandbox(interpreter, { ...limits, wallSeconds: 1.5, concurrency: 2 });
    const stuck = own.run(named('stuck', spin), 1, signal);
    const first = await callNamed('stuck');
    process.kill(first.parent, 'SIGSTOP');
    // Many short calls: some are under way whenever the fork servers are replaced.
    let going = true;
    const others: ToolResult[] = [];
    const keepCalling = (async () => {
      while (going) others.push(await own.run('import time\ntime.sleep(0.2)\nprint("done")', 1, signal));
    })();
    process.kill((await callNamed('stuck', first.pid)).parent, 'SIGSTOP');
    expect(await stuck).toMatchObject({ status: 'infrastructure', stderr: 'its fork server does not answer' });
    going = false;
    await keepCalling;
    expect(others.length).toBeGreaterThan(10);
    expect(others.filter(({ status }) => status === 'infrastructure')).toEqual([]);
  });

  it('of many that start together is one failure when their template dies', async () => {
    own = new PythonSandbox(interpreter, { ...limits, concurrency: 8 });
    await own.probe();
    const calls = Array.from({ length: 8 }, () => own.run('import time\nprint("done")', 1, signal));
    let template: Found | undefined;
    await expect
      .poll(() => (template = processesOf(process.pid).find(({ role }) => role === 'standard')), { interval: 2 })
      .toBeDefined();
    process.kill(template!.pid, 'SIGKILL');
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ status: 'ok', stdout: 'done\n' });
  });

  it('is replaced with its broker', async () => {
    own = new PythonSandbox(interpreter, limits);
    const call = own.run(named('victim', sleep), 1, signal);
    await callNamed('victim');
    for (const { pid, role } of processesOf(process.pid)) if (role === 'broker') process.kill(pid, 'SIGKILL');
    expect(await call).toMatchObject({ status: 'ok', stdout: 'done\n' });
  });

  it('names no code of ours when its broker dies again and again', async () => {
    own = new PythonSandbox(interpreter, limits);
    const call = own.run(named('victim', sleep), 1, signal);
    for (let earlier = 0, kills = 0; kills < 2; kills++) {
      earlier = (await callNamed('victim', earlier)).pid;
      for (const { pid, role } of processesOf(process.pid)) if (role === 'broker') process.kill(pid, 'SIGKILL');
    }
    const { status, stderr } = await call;
    expect(status).toBe('infrastructure');
    expect(stderr).toBe(`${interpreter.path} cannot run the sandbox: it ended by SIGKILL`);
  });
});

/** Linux: resident bytes and open files of the broker. */
function brokerUse(): { readonly bytes: number; readonly files: number } {
  const { pid } = processesOf(process.pid).find(({ role }) => role === 'broker')!;
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]);
  return { bytes: pages * 4096, files: readdirSync(`/proc/${pid}/fd`).length };
}

describe.runIf(process.platform === 'linux')('many calls', { timeout: 600_000 }, () => {
  const count = Number(process.env.RETOOL_TEST_CALLS ?? 800);
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
