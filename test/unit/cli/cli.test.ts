import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { essenceOf, smallExperiment } from '../../support/smallRun';

const cli = join(process.cwd(), 'dist', 'cli.js');
const retool = (args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) =>
  execa('node', [cli, ...args], { reject: false, ...options });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const short = {
  reinforcement: {
    steps: 1,
    problemsPerStep: 2,
    groupSize: 2,
    learningRate: 1e-3,
    warmupSteps: 0,
    decayFraction: 0,
    finalFraction: 1,
    minibatches: 1,
  },
};
const quick = (change: Record<string, unknown> = {}) =>
  smallExperiment({
    ...short,
    coldStart: { demonstrations: 'demonstrations.jsonl', steps: 2, batchSize: 2 },
    ...change,
  });

interface Refusal {
  readonly code: number;
  readonly says: RegExp;
}

/** One sentence with what to do, the right exit code, no stack trace, and with --json an error record. */
async function expectRefusal(
  args: readonly string[],
  { code, says }: Refusal,
  options: Parameters<typeof retool>[1] = {},
) {
  const result = await retool([...args, '--json'], options);
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toMatch(/\n\s+at |Error:|undefined/);
  expect(result.stderr.split('\n').filter(Boolean)).toHaveLength(1);
  expect(result.exitCode).toBe(code);
  const records = result.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { kind: string; message?: string });
  expect(records.some((record) => record.kind === 'error' && says.test(record.message!))).toBe(true);
}

describe('retool', { timeout: 60_000 }, () => {
  it.each([
    [['fly'], /There is no command "fly"/],
    [['train'], /An argument is missing/],
    [['train', 'a.json', 'b.json'], /"b.json" is one argument too many/],
    [['train', 'a.json', '--fast'], /Unknown option '--fast'/],
    [['train', 'a.json', '--steps', 'many'], /--steps must be a whole number from 0 to 1000000, not "many"/],
    [['train', 'a.json', '--steps', '1000001'], /--steps must be a whole number from 0 to 1000000, not "1000001"/],
    [['train', 'a.json', '--steps', '-1'], /--steps has no value; one that begins with a dash is written --steps=-1\./],
    [['train', 'a.json', '--steps=-1'], /--steps must be a whole number from 0 to 1000000, not "-1"/],
    [['trian'], /There is no command "trian"/],
    [['help', 'trian'], /There is no command "trian"/],
    [['trian', '--help'], /There is no command "trian"/],
    [['show', '.', '--problem', 'p'], /--problem needs --step N/],
    [['show', '.', '--branch', '1'], /--branch needs --problem ID/],
    [['show', '.', '--step', '1', '--evaluation', 'before'], /exclude each other/],
    [['bench', 'nothing'], /There is no benchmark "nothing"/],
    [['sandbox', 'walk', 'x.py'], /There is no "sandbox walk"/],
    [['serve', '--port', '70000'], /--port must be a whole number from 0 to 65535/],
  ])('refuses %j as a matter of usage', async (args, says) => {
    await expectRefusal(args, { code: 2, says });
  });

  it('asks whether a near command was meant', async () => {
    expect((await retool(['trian'])).stderr).toBe('There is no command "trian". Did you mean "train"?');
  });

  it('explains itself', async () => {
    const result = await retool(['--help']);
    expect(result.exitCode).toBe(0);
    expect(result.stdout).toMatch(/retool train <experiment.json>/);
    expect((await retool(['--help', '--json'])).stdout).toBe(result.stdout);
    expect((await retool(['--version', '--json'])).stdout).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.runIf(process.platform === 'linux')('fails where what it says cannot be written', async () => {
    const result = await execa('bash', ['-c', 'exec node "$0" --help > /dev/full', cli], { reject: false });
    expect(result.exitCode).toBe(1);
    expect(result.stderr).toMatch(/^The output cannot be written: the disk is full/);
  });

  it.each(['train', 'resume', 'show', 'grade', 'extract', 'sandbox', 'serve', 'bench'])('explains %s', async (name) => {
    const { exitCode, stdout } = await retool([name, '--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^retool ${name}\\b.*\\n\\n[A-Z]`));
    expect((await retool(['help', name])).stdout).toBe(stdout);
  });
});

describe('retool train', { timeout: 120_000 }, () => {
  it('names an experiment file that is missing, and every field of one that is wrong', async () => {
    await expectRefusal(['train', join(folder, 'none.json')], {
      code: 2,
      says: /There is no file .*none\.json/,
    });
    const path = await quick({ seed: -1, budgets: { turns: 0 } });
    await expectRefusal(['train', path], {
      code: 2,
      says: /seed \(line \d+\) must be at least 0; budgets\.turns \(line \d+\) must be/,
    });
  });

  it('names the file and line of a problem that is wrong', async () => {
    const path = await quick();
    await writeFile(join(dirname(path), 'train.jsonl'), '{"question":"1+1","answer":"2"}\n{"question":"1+2"}\n');
    await expectRefusal(['train', path], { code: 1, says: /train\.jsonl.*line 2.*answer/ });
    await writeFile(join(dirname(path), 'train.jsonl'), '');
    await expectRefusal(['train', path], { code: 1, says: /train\.jsonl/ });
    await rm(join(dirname(path), 'train.jsonl'));
    await rm(join(dirname(path), 'demonstrations.jsonl'));
    await expectRefusal(['train', path], {
      code: 1,
      says: /train\.jsonl \(data\.train\), demonstrations\.jsonl \(coldStart\.demonstrations\)/,
    });
  });

  it('names demonstrations whose code does not print their answer', async () => {
    const path = await quick();
    await writeFile(
      join(dirname(path), 'demonstrations.jsonl'),
      '{"id":"d","question":"1+1","answer":"2","code":"print(3)"}\n',
    );
    await expectRefusal(['train', path], { code: 1, says: /demonstration "d" prints "3", but its answer is "2"/ });
  });

  it('names a Python that is missing or too old', async () => {
    await expectRefusal(['train', await quick({ sandbox: { python: '/no/python' } })], {
      code: 1,
      says: /Python not found: \/no\/python/,
    });
    const old = join(folder, 'python-old');
    await writeFile(
      old,
      `#!/bin/sh\necho '{"path":"/usr/bin/python3.8","version":[3,8,1],"prefix":"/usr","sysPath":[],"packages":{}}'\n`,
    );
    await chmod(old, 0o755);
    await expectRefusal(['train', await quick({ sandbox: { python: old } })], { code: 1, says: /3\.8\.1.*3\.9/ });
  });

  it('refuses a folder that already holds a run, and two trainings of one run', async () => {
    const path = await quick();
    const run = join(dirname(path), 'run');
    expect((await retool(['train', path, '--run-dir', run])).exitCode).toBe(0);
    await expectRefusal(['train', path, '--run-dir', run], { code: 1, says: /already holds a run/ });
    await expectRefusal(['resume', run], { code: 1, says: /is complete: there is nothing to resume/ });

    const long = await smallExperiment({
      coldStart: { demonstrations: 'demonstrations.jsonl', steps: 5000, batchSize: 8 },
    });
    const busy = join(dirname(long), 'run');
    const first = execa('node', [cli, 'train', long, '--run-dir', busy, '--json'], { reject: false });
    await new Promise<void>((resolve) =>
      first.stdout.on('data', (text: Buffer) => text.includes('"step"') && resolve()),
    );
    await expectRefusal(['resume', busy], { code: 1, says: /Process \d+ is already training/ });
    first.kill('SIGINT');
    const { exitCode, stdout } = await first;
    expect(exitCode).toBe(130);
    expect(JSON.parse(stdout.trim().split('\n').at(-1)!)).toMatchObject({ kind: 'summary', outcome: 'stopped' });
  });

  it('takes two signals of one Ctrl-C for one, as under npm: it ends after the step, saved', async () => {
    const path = await smallExperiment();
    const calm = join(dirname(path), 'calm');
    await retool(['train', path, '--run-dir', calm]);
    const run = join(dirname(path), 'run');
    const first = execa('node', [cli, 'train', path, '--run-dir', run, '--json'], { reject: false });
    await new Promise<void>((resolve) =>
      first.stdout.on('data', (text: Buffer) => text.includes('"reinforcement","step":1') && resolve()),
    );
    first.kill('SIGINT');
    first.kill('SIGINT');
    expect((await first).exitCode).toBe(130);
    const { step, checkpoints } = await readRun(run);
    expect(checkpoints.at(-1)).toMatchObject({ phase: 'reinforcement', step });
    const resumed = await retool(['resume', run, '--json']);
    expect(resumed.exitCode).toBe(0);
    expect(await essenceOf(run)).toEqual(await essenceOf(calm));
  });

  it('says every step of a short run, and the last of any', async () => {
    const lines = async (steps: number) => {
      const path = await smallExperiment({ data: { train: 'train.jsonl' }, coldStart: undefined });
      const { stdout } = await retool(['train', path, '--steps', String(steps)]);
      return [...stdout.matchAll(/^Step (\d+)\//gm)].map(([, step]) => Number(step));
    };
    expect(await lines(3)).toEqual([1, 2, 3]);
    expect(await lines(11)).toEqual([2, 4, 6, 8, 10, 11]);
  });

  it('says once that a run goes on with arithmetic that rounds otherwise, and goes on', async () => {
    const path = await smallExperiment();
    const run = join(dirname(path), 'run');
    const first = execa('node', [cli, 'train', path, '--run-dir', run, '--json'], { reject: false });
    await new Promise<void>((resolve) =>
      first.stdout.on('data', (text: Buffer) => text.includes('"reinforcement","step":1') && resolve()),
    );
    first.kill('SIGINT');
    expect((await first).exitCode).toBe(130);
    const journal = join(run, 'journal.jsonl');
    const text = await readFile(journal, 'utf8');
    const other = text.replace(/"kernels":"(\w+)"/, (_, kind) => `"kernels":"${kind === 'fma' ? 'plain' : 'fma'}"`);
    expect(other).not.toBe(text);
    await writeFile(journal, other);

    expect((await retool(['resume', run])).exitCode).toBe(0);
    const { status, notices, kernels } = await readRun(run);
    expect(status).toBe('completed');
    expect(text).toContain(`"kernels":"${kernels}"`);
    expect(notices.filter(({ message }) => /fused arithmetic and goes on with/.test(message))).toHaveLength(1);
  });

  it('stores runs beside the experiment, wherever it is called, and says what to type next', async () => {
    const path = await quick();
    const { stdout, exitCode } = await retool(['train', path], { cwd: folder });
    expect(exitCode).toBe(0);
    const runs = join(dirname(path), '.retool', 'runs');
    const [id] = await readdir(runs);
    const command = /^ {2}(node .*cli\.js show .* --step 1) {3}#/m.exec(stdout)?.[1];
    expect(command).toContain(join(runs, id!));
    const shown = await execa(command!, { cwd: folder, shell: true });
    expect(shown.stdout).toMatch(/gold \d+/);
    expect(stdout).toContain(`open ${dirname(path)} in VS Code`);
  });

  it('names commands as npm runs them in a checkout', async () => {
    const path = await quick();
    const { stdout } = await retool(['train', path], { env: { npm_lifecycle_event: 'train' } });
    expect(stdout).toMatch(/^ {2}npm run --silent retool -- show .* --step 1 {3}#/m);
  });

  it('is stopped, saved and resumable when its whole process group is told to end', async () => {
    const path = await smallExperiment();
    const run = join(dirname(path), 'run');
    const child = execa('node', [cli, 'train', path, '--run-dir', run, '--json'], { reject: false, detached: true });
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (text: Buffer) => text.includes('"reinforcement","step":1') && resolve()),
    );
    process.kill(-child.pid!, 'SIGTERM');
    expect((await child).exitCode).toBe(130);
    const shown = await retool(['show', run]);
    expect(shown.stdout).toMatch(/small: stopped/);
    expect(shown.stdout).toMatch(/Go on: .*resume /);
    expect((await retool(['resume', run])).exitCode).toBe(0);
  });

  it('takes nothing of the user’s for a run folder', async () => {
    const path = await quick();
    const home = dirname(path);
    await expectRefusal(['train', path, '--run-dir', home], { code: 1, says: /is not empty and holds no run/ });
    await expectRefusal(['train', path, '--run-dir', ''], { code: 2, says: /--run-dir is empty/ });
    expect(await readFile(path, 'utf8')).toContain('"name"');
  });

  it('trains on when nobody reads what it says', async () => {
    const path = await quick();
    const run = join(dirname(path), 'run');
    const child = execa('node', [cli, 'train', path, '--run-dir', run, '--json'], { reject: false, buffer: false });
    child.stdout.once('data', () => child.stdout.destroy());
    expect((await child).exitCode).toBe(0);
    expect((await retool(['show', run])).stdout).toMatch(/small: completed/);
  });

  it.skipIf(process.platform !== 'linux')(
    'ends at once on a second Ctrl-C, also when the trainer is stuck, and can be resumed from there',
    async () => {
      const path = await smallExperiment();
      const calm = join(dirname(path), 'calm');
      await retool(['train', path, '--run-dir', calm]);
      const run = join(dirname(path), 'run');
      const child = execa('node', [cli, 'train', path, '--run-dir', run, '--json'], { reject: false });
      await new Promise<void>((resolve) =>
        child.stdout.on('data', (text: Buffer) => text.includes('"coldStart","step":5') && resolve()),
      );
      const trainer = execFileSync('pgrep', ['-P', String(child.pid), '-f', 'trainer.js'], { encoding: 'utf8' });
      process.kill(Number(trainer.trim()), 'SIGSTOP');
      child.kill('SIGINT');
      // Two signals at once would be one.
      await new Promise((resolve) => setTimeout(resolve, 600));
      child.kill('SIGINT');
      expect((await child).exitCode).toBe(130);
      expect((await readRun(run)).checkpoints).toEqual([]);
      expect((await retool(['resume', run])).exitCode).toBe(0);
      expect(await essenceOf(run)).toEqual(await essenceOf(calm));
    },
  );

  it.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'says that the disk is full, loses nothing, and goes on when there is room (as root on Linux: mounts a small disk)',
    async () => {
      const path = await smallExperiment();
      const disk = join(folder, 'disk');
      await mkdir(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=700k', 'tmpfs', disk]);
      try {
        const run = join(disk, 'run');
        await expectRefusal(['train', path, '--run-dir', run], { code: 1, says: /the disk is full/ });
        execFileSync('mount', ['-o', 'remount,size=50m', disk]);
        expect((await retool(['resume', run])).exitCode).toBe(0);
        const calm = join(dirname(path), 'calm');
        await retool(['train', path, '--run-dir', calm]);
        expect(await essenceOf(run)).toEqual(await essenceOf(calm));

        await rm(run, { recursive: true });
        execFileSync('mount', ['-o', 'remount,size=8k', disk]);
        await writeFile(join(disk, 'filler'), Buffer.alloc(8192));
        const late = join(disk, 'late');
        await expectRefusal(['train', path, '--run-dir', late], {
          code: 1,
          says: /late cannot be made: the disk is full/,
        });
        execFileSync('mount', ['-o', 'remount,size=50m', disk]);
        expect((await retool(['train', path, '--run-dir', late])).exitCode).toBe(0);
      } finally {
        execFileSync('umount', [disk]);
      }
    },
  );
});

describe('retool show', { timeout: 60_000 }, () => {
  it('prints a run, a step and a trajectory, and refuses what is not there', async () => {
    const path = await quick();
    const run = join(dirname(path), 'run');
    await retool(['train', path, '--run-dir', run]);
    const whole = await retool(['show', run]);
    expect(whole.stdout).toMatch(/small: completed/);
    const step = await retool(['show', run, '--step', '1', '--json']);
    const { trajectories } = JSON.parse(step.stdout) as { trajectories: { problemId: string }[] };
    expect(trajectories).toHaveLength(4);
    const one = await retool(['show', run, '--step', '1', '--problem', trajectories[0]!.problemId]);
    expect(one.stdout).toMatch(/Question: .*\nGold .*\n/);
    const evaluation = await retool(['show', run, '--evaluation', 'before']);
    expect(evaluation.stdout).toMatch(/^p-\d+ {2}[●○] {2}gold \d+/m);
    const evaluated = await retool(['show', run, '--evaluation', 'before', '--problem', 'p-8']);
    expect(evaluated.stdout).toMatch(/problem p-8, branch 0\nQuestion: .*\nGold .*\n/);
    await expectRefusal(['show', run, '--evaluation', 'never'], { code: 1, says: /no finished evaluation "never"/ });
    await expectRefusal(['show', run, '--step', '9'], { code: 1, says: /No trajectories are stored/ });
    await expectRefusal(['show', run, '--step', '1', '--problem', 'zz'], {
      code: 1,
      says: /no trajectory of problem "zz"/,
    });
    await expectRefusal(['show', folder], { code: 1, says: /is not a run folder/ });
  });

  it('prints no control character of what the model wrote', async () => {
    const path = await quick();
    const run = join(dirname(path), 'hostile');
    await retool(['train', path, '--run-dir', run]);
    const stored = join(run, 'rollouts', '000001.jsonl');
    const [line] = (await readFile(stored, 'utf8')).split('\n');
    const trajectory = { ...(JSON.parse(line!) as object), gold: '\u001b]0;owned\u0007\u202e5' };
    await writeFile(stored, `${JSON.stringify(trajectory)}\n`);
    const { stdout } = await retool(['show', run, '--step', '1']);
    expect(stdout).toContain('gold ␛]0;owned␇\ufffd5');
  });
});

describe('a run that was killed while it began', { timeout: 60_000 }, () => {
  it('is shown and resumed though it has no journal, and gets its missing folders', async () => {
    const path = await quick();
    const run = join(dirname(path), 'begun');
    await retool(['train', path, '--run-dir', run]);
    for (const name of ['journal.jsonl', 'rollouts', 'checkpoints', 'evaluations']) {
      await rm(join(run, name), { recursive: true, force: true });
    }
    expect((await retool(['show', run])).stdout).toMatch(/interrupted[\s\S]*Go on:/);
    expect((await retool(['resume', run])).exitCode).toBe(0);
    expect((await retool(['show', run])).stdout).toMatch(/small: completed/);

    await writeFile(join(run, 'journal.jsonl'), '');
    const torn = await retool(['show', run]);
    expect(torn.stdout).toMatch(/The beginning of its journal is lost: restore journal\.jsonl to go on\./);
    expect(torn.stdout).not.toMatch(/Go on:/);
  });
});

describe('what a person names', { timeout: 60_000 }, () => {
  it('is refused at once where it is a pipe that nobody writes', async () => {
    const path = await quick();
    const pipe = join(dirname(path), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const experiment = JSON.parse(await readFile(path, 'utf8')) as { data: object };
    await writeFile(path, JSON.stringify({ ...experiment, data: { ...experiment.data, train: 'pipe' } }));
    const says = /pipe is a pipe or a device/;
    await expectRefusal(['train', path], { code: 1, says });
    await expectRefusal(['train', pipe], { code: 2, says });
    await expectRefusal(['grade', pipe], { code: 1, says });
    await expectRefusal(['sandbox', 'run', pipe], { code: 1, says });
  });

  it('is refused where it is code in another encoding, which would run as other code', async () => {
    const wide = join(folder, 'wide.retool.json');
    await writeFile(wide, Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('{}', 'utf16le')]));
    await expectRefusal(['train', wide], { code: 2, says: /wide\.retool\.json is not UTF-8 text/ });
    const latin = join(folder, 'latin.py');
    await writeFile(latin, Buffer.from('print("\xe9")\n', 'latin1'));
    await expectRefusal(['sandbox', 'run', latin], { code: 1, says: /latin\.py is not UTF-8 text/ });
  });

  it('cannot be found from a folder that is gone', async () => {
    const gone = await mkdtemp(join(folder, 'gone-'));
    const script = 'cd "$0" && rmdir "$0" && exec node "$1" show x';
    const result = await execa('bash', ['-c', script, gone, cli], { reject: false });
    expect(result.stderr).toBe('The current folder no longer exists. Change to another one.');
    expect(result.exitCode).toBe(2);
  });

  it('is quoted in a command that is to be typed', async () => {
    const path = await quick();
    const run = join(dirname(path), "it's a run");
    await retool(['train', path, '--run-dir', run]);
    const { stdout } = await retool(['show', run, '--step', '1']);
    expect(stdout).toContain("it'\\''s a run' --step 1");
  });
});

describe('retool serve', { timeout: 60_000 }, () => {
  it('says that a port is in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await expectRefusal(['serve', '--port', String(port), '--directory', join(folder, 'served')], {
      code: 1,
      says: new RegExp(`Port ${port} .*in use`),
    });
    server.close();
  });

  it('says at once where no checkpoint can be saved', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    await expectRefusal(['serve', '--directory', file], {
      code: 1,
      says: /^No checkpoint can be saved in .*a-file: it is not a folder\./m,
    });
    await expectRefusal(['serve', '--directory', join(file, 'below')], { code: 1, says: /it is not a folder/ });
  });

  it('serves on loopback until it is told to end', async () => {
    const child = execa('node', [cli, 'serve', '--directory', join(folder, 'served'), '--json'], { reject: false });
    const first = await new Promise<string>((resolve) =>
      child.stdout.once('data', (text: Buffer) => resolve(String(text))),
    );
    const { url, key } = JSON.parse(first) as { url: string; key: string };
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const health = await fetch(`${url}/api/v1/healthz`, { headers: { 'X-API-Key': key } });
    expect(await health.json()).toEqual({ status: 'ok' });
    child.kill('SIGINT');
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(0);
  });
});

describe('retool sandbox run', { timeout: 60_000 }, () => {
  it('prints what the code printed and how it ended', async () => {
    const path = join(folder, 'six.py');
    await writeFile(path, 'x = 6\nx * 7\n');
    const result = await retool(['sandbox', 'run', path, '--json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ kind: 'summary', status: 'ok', stdout: '42\n' });
    await expectRefusal(['sandbox', 'run', join(folder, 'none.py')], { code: 1, says: /There is no file/ });
    expect(await readFile(path, 'utf8')).toContain('x * 7');
  });

  it('runs nothing below a boundary unless that is consented to', async () => {
    const path = join(folder, 'mark.py');
    const mark = join(folder, 'mark');
    await writeFile(path, `open(${JSON.stringify(mark)}, 'w')`);
    const args = ['sandbox', 'run', path, '--level', 'limits'];
    await expectRefusal(args, { code: 1, says: /level "limits" only, where your files can be read/ });
    await expect(stat(mark)).rejects.toThrow();
    await writeFile(path, 'print(6 * 7)');
    expect((await retool([...args, '--allow-unsafe-sandbox'])).stdout).toBe('42');
  });
});
