import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { cliScript } from '../../support/smallRun';

const retool = (cwd: string, ...args: string[]) =>
  execa('node', [cliScript, 'preset', ...args], { cwd, reject: false, env: { NO_COLOR: '1' } });

describe('retool preset', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'retool-preset-'));
  });

  it('names the published systems and prints one with its sources', async () => {
    expect((await retool(folder, 'list')).stdout).toMatch(/^slime-qwen3-4b-grpo-reduced +The rules of slime/m);
    const { stdout } = await retool(folder, 'show', 'retool-paper-32b');
    expect(stdout).toContain(
      '"clipLow": null, // NOT KNOWN; objective given with epsilon, value not stated; arXiv 2504.11536 equation 1',
    );
    expect(stdout).toContain('// reported: {"aime24":0.67');
  });

  it('writes one that can be started, with its data, and overwrites nothing', async () => {
    const made = await retool(folder, 'new', 'torl-1.5b-reduced', 'mine.retool.json');
    expect([made.exitCode, made.stdout]).toEqual([
      0,
      expect.stringMatching(/^Wrote mine\.retool\.json, arithmetic\.train\.jsonl/),
    ]);
    expect(await readdir(folder)).toEqual(
      expect.arrayContaining(['arithmetic.demonstrations.jsonl', 'mine.retool.json']),
    );
    const again = await retool(folder, 'new', 'torl-7b-reduced', 'mine.retool.json');
    expect([again.exitCode, again.stderr]).toEqual([2, 'mine.retool.json exists already. Give another name.']);
    await writeFile(join(folder, 'arithmetic.train.jsonl'), '{}\n');
    const other = await retool(folder, 'new', 'torl-7b-reduced', 'other.retool.json');
    expect(other.stderr).toMatch(/arithmetic\.train\.jsonl exists already, with other content/);
    expect(other.exitCode).toBe(1);
    expect(await readdir(folder)).not.toContain('other.retool.json');
  });

  it.each([
    ['cut off', (text: string) => text.slice(0, 900), /line \d+ is not JSON/],
    [
      'with a field twice',
      (text: string) => text.replace('"seed"', '"seed": 3, "seed"'),
      /seed \(line \d+\) is given twice/,
    ],
    ['nested deeply', () => '['.repeat(20_000), /nested too deeply/],
    ['null', () => 'null', /line 1 must be an object/],
  ])('compares no file that is %s', async (name, broken, sentence) => {
    const file = `${name.replaceAll(' ', '-')}.retool.json`;
    const text = (await retool(folder, 'show', 'torl-1.5b')).stdout;
    await writeFile(join(folder, file), broken(text));
    const { exitCode, stderr } = await retool(folder, 'diff', file);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(sentence)]);
  });

  it('says what a file has otherwise', async () => {
    await retool(folder, 'new', 'retool-pytrio-4b', 'pytrio.retool.json');
    expect((await retool(folder, 'diff', 'pytrio.retool.json')).stdout).toBe('Nothing differs from retool-pytrio-4b.');
    const path = join(folder, 'pytrio.retool.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace('"groupSize": 8', '"groupSize": 16'));
    expect((await retool(folder, 'diff', 'pytrio.retool.json')).stdout).toBe(
      'reinforcement.groupSize: 8 → 16 (agentic-rl-lab/05-retool/rollout.py:35; train.py:356)',
    );
  });

  it.each([
    [['show', 'torl-7'], 'There is no preset "torl-7" (did you mean "torl-7b"?).'],
    [['new', 'torl-7b', 'x.json'], 'The name of an experiment file ends in .retool.json, and "x.json" does not.'],
    [['new', 'torl-7b', '.retool.json'], 'The name "" may hold letters'],
    [['new', 'torl-7b', 'missing/x.retool.json'], 'There is no folder '],
    [['diff', 'nothing.retool.json'], 'nothing.retool.json'],
    [['make'], 'There is no "preset make".'],
  ])('refuses %j in a sentence', async (args, sentence) => {
    const { exitCode, stderr } = await retool(folder, ...args);
    expect(stderr).toContain(sentence);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(exitCode).toBeGreaterThan(0);
  });
});
