import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resolveInterpreter } from '../../../src/sandbox/interpreter';
import { PythonSandbox } from '../../../src/sandbox/pythonSandbox';
import { levelsOf, type SandboxLevel } from '../../../src/schema/sandboxLevels';
import type { ToolResult } from '../../../src/schema/trajectory';
import { type Attack, ownAttacks } from '../../support/attacks';
import { bundle } from '../../support/bundle';

const isRoot = process.getuid?.() === 0;
const ordinary = 65_533;
const system = '/usr/bin/python3';
const python = existsSync(system) ? system : undefined;

/** Attack names that the documentation says a level does not stop. */
const documentation = readFileSync('docs/sandbox.md', 'utf8');
function gaps(level: SandboxLevel): string[] {
  const section = new RegExp(`### What \`${level}\` does not stop\\n([^#]*)`).exec(documentation)?.[1] ?? '';
  return [...section.matchAll(/`([\w-]+)`/g)].map(([, name]) => name!);
}

interface Expected {
  readonly status: readonly string[];
  readonly out: string | null;
  readonly notout: string | null;
  readonly then?: { readonly code: string; readonly out: string };
  readonly crowd?: number;
}

/** Snippets of a folder with what is right for each in `expected.json`; none where there is no such folder. */
function attacksIn(folder: string): Attack[] {
  if (!existsSync(join(folder, 'expected.json'))) return [];
  const expected = JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')) as Record<string, Expected>;
  return readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .map((file) => {
      const name = file.replace(/\.py$/, '');
      const { status, out, notout, then, crowd } = expected[name]!;
      const statuses = status.map((word) => word.replace(/_limit$/, 'Limit').replace('diskLimit', 'outputLimit'));
      // A control token in an observation is text: encoding it is the tokenizer's matter.
      const not = name === 'o07_special_tokens' ? undefined : (notout ?? undefined);
      return {
        name,
        code: readFileSync(join(folder, file), 'utf8'),
        status: statuses.includes('killed') ? [...statuses, 'memoryLimit'] : statuses,
        out: out ?? undefined,
        not,
        followUp: then,
        crowd,
      };
    });
}

/** The same, with other paths and other canaries. */
const renamed = (attack: Attack): Attack => ({
  ...attack,
  name: `${attack.name} (renamed)`,
  code: attack.code
    .replaceAll('@ARENA@', '@ARENA@/../second')
    .replaceAll('answer.json', 'solutions.json')
    .replaceAll('id_rsa', 'id_ed25519'),
});

let folder: string;
let script: string;
let servers: Server[] = [];
let mathematics = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-attacks-'));
  await chmod(folder, 0o755);
  script = join(folder, 'runner.mjs');
  await bundle({
    entryPoints: ['test/support/attackRunner.ts'],
    outfile: script,
  });
  await cp(process.execPath, join(folder, 'node'));
  const listen = (at: string | number) =>
    new Promise<Server | undefined>((done) => {
      const server = createServer((socket) => socket.destroy());
      server.once('error', () => done(undefined));
      server.listen(at, () => done(server));
    });
  servers = (await Promise.all([listen(47_123), listen('\0sbxcanary')])).filter((server) => server !== undefined);
  const { packages } = await resolveInterpreter(python);
  mathematics = 'numpy' in packages && 'sympy' in packages;
}, 60_000);
afterAll(async () => {
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

/** What a user has that code must not touch. */
async function makeArena(name: string, owner: number | undefined): Promise<string> {
  const arena = join(folder, name);
  for (const part of ['', 'home', 'home/.ssh', 'project']) await mkdir(join(arena, part), { recursive: true });
  const files = {
    'home/.ssh/id_rsa': 'KEY_CANARY_1',
    'home/.ssh/id_ed25519': 'KEY_CANARY_2',
    'home/.bashrc': '# CANARY',
    'project/answer.json': '{"answer": "CANARY_3"}',
    'project/solutions.json': '{"answer": "CANARY_4"}',
    'project/planted_helper.py': 'X = "PLANTED"',
  };
  for (const [file, content] of Object.entries(files)) await writeFile(join(arena, file), content);
  await symlink('LINK_CANARY_6', join(arena, 'home/.lock'));
  if (owner !== undefined) {
    for (const part of ['', 'home', 'home/.ssh', 'project', ...Object.keys(files)]) {
      await chown(join(arena, part), owner, owner);
    }
  }
  return arena;
}

async function wrongOnes(
  level: SandboxLevel,
  user: 'root' | 'ordinary',
  attacks: readonly Attack[],
): Promise<string[]> {
  const owner = user === 'ordinary' && isRoot ? ordinary : undefined;
  const arena = await makeArena(`${level}-${user}`, owner);
  await symlink(arena, join(folder, 'second')).catch(() => {});
  const before = await fingerprint(arena);
  const input = {
    python,
    level,
    snippets: attacks.map(({ code, followUp, crowd }) => ({
      code: code.replaceAll('@ARENA@', arena),
      followUp,
      crowd,
    })),
  };
  const runner = execa(join(folder, 'node'), [script], {
    input: JSON.stringify(input),
    cwd: join(arena, 'project'),
    env: { PATH: '/usr/bin:/bin', HOME: join(arena, 'home'), API_KEY: 'ENVIRONMENT_CANARY_5', TMPDIR: '/tmp' },
    extendEnv: false,
    ...(owner === undefined ? {} : { uid: owner, gid: owner }),
  });
  const { stdout } = await runner;
  const left = await leftFolders(runner.pid!);
  const results = JSON.parse(stdout) as (ToolResult & { next: ToolResult })[];
  expect(results).toHaveLength(attacks.length);
  expect(await fingerprint(arena)).toEqual(before);
  const wrong = results.flatMap((result, i) => {
    const { name, status, out, not, followUp } = attacks[i]!;
    const said = result.stdout + result.stderr;
    const right =
      result.level === level &&
      status.includes(result.status) &&
      (out === undefined || (out === '^$' ? result.stdout === '' : match(out).test(said))) &&
      (not === undefined || !match(not).test(said)) &&
      result.next.status === 'ok' &&
      result.next.stdout.includes(followUp?.out ?? '42');
    return right ? [] : [`${name}: ${result.status} ${said.slice(-300)} next: ${result.next.status}`];
  });
  return [...wrong, ...left.map((name) => `left behind: ${name}`)];
}

/** Folders of the sandboxes of a host that is gone. They are removed, as far as the test may. */
async function leftFolders(pid: number): Promise<string[]> {
  const found = ['/dev/shm', '/tmp'].flatMap((root) =>
    (existsSync(root) ? readdirSync(root) : [])
      .filter((name) => name.startsWith(`retool-sandbox-${pid}-`))
      .map((name) => join(root, name)),
  );
  // Node's own removal stops at the longest path.
  if (found.length > 0) await execa('rm', ['-rf', ...found], { reject: false });
  return found;
}

/** Python's inline flags as JavaScript has them. */
function match(pattern: string): RegExp {
  const [, flags = '', rest = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  return new RegExp(rest, `m${flags.replaceAll('m', '')}`);
}

async function fingerprint(arena: string): Promise<object> {
  const names = readdirSync(arena, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = names.map(async ({ name, parentPath }) => [name, await readFile(join(parentPath, name), 'utf8')]);
  return Object.fromEntries((await Promise.all(texts)) as [string, string][]);
}

const needsMathematics = /sympy|numpy/;

describe.runIf(process.platform === 'linux')('attacks', { timeout: 300_000 }, () => {
  const users = isRoot ? (['root', 'ordinary'] as const) : (['ordinary'] as const);
  const cases = levelsOf(process.platform).flatMap((level) => users.map((user) => ({ level, user })));
  it.each(cases)('do what $level promises, as $user', async ({ level, user }) => {
    const probe = new PythonSandbox(await resolveInterpreter(python), limits, [level]);
    const offered = await probe.climb().then(
      () => true,
      () => false,
    );
    probe.dispose();
    if (!offered) return void process.stdout.write(`skipped: this machine does not offer ${level}\n`);
    const variants = attacksIn(resolve('test', 'unit', 'sandbox', 'variants'));
    expect(variants.length).toBeGreaterThan(0);
    const foreign = attacksIn(resolve('..', 'shared', 'attacks'));
    if (foreign.length === 0) process.stdout.write('skipped: ../shared/attacks is not there\n');
    const open = new Set(gaps(level));
    const attacks = [...ownAttacks, ...variants, ...foreign]
      .filter(({ name, code }) => !open.has(name) && (mathematics || !needsMathematics.test(code)))
      .flatMap((attack) => (attack.code.includes('@ARENA@') ? [attack, renamed(attack)] : [attack]));
    expect(await wrongOnes(level, user, attacks)).toEqual([]);
  });
});

const limits = { wallSeconds: 5, cpuSeconds: 2, outputBytes: 4096, concurrency: 1 };
