import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';

const cli = join(process.cwd(), 'dist', 'cli.js');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retool-grade-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function retool(command: string, lines: readonly (object | string)[], ...options: string[]) {
  const file = join(folder, 'cases.jsonl');
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const { stdout, stderr, exitCode } = await execa('node', [cli, command, file, '--json', ...options], {
    reject: false,
  });
  const records = stdout.split('\n').filter(Boolean);
  return { records: records.map((line) => JSON.parse(line) as Record<string, unknown>), stderr, exitCode };
}

it('grades pairs, a line each, and sums up', async () => {
  const { records, exitCode } = await retool('grade', [
    { id: 'a', gold: '1/2', prediction: '0.5', equal: true },
    { id: 'b', gold: '1/2', prediction: '0.6', equal: true },
    { id: 'c', gold: '1/2', prediction: '\\frac{2}{4}', equal: false },
    { gold: '10^{10^{10^{10}}}', prediction: '1', equal: false },
  ]);
  expect(exitCode).toBe(0);
  expect(records[0]).toMatchObject({ id: 'a', equal: true, verdict: 'correct', gold: '1/2', prediction: '0.5' });
  expect(records[0]!.read).toEqual({ gold: 'a numeric expression', prediction: 'the number 1/2' });
  expect(records[3]).toMatchObject({ id: '4', equal: false, verdict: 'unknown' });
  expect(records.at(-1)).toMatchObject({
    kind: 'summary',
    n: 4,
    right: 2,
    falsePositives: 1,
    falseNegatives: 1,
    unknown: 1,
  });
});

it('grades texts by a rule', async () => {
  const lines = [{ id: 'a', gold: '5', text: 'It is \\boxed{5.0}' }];
  expect((await retool('grade', lines)).records[0]).toMatchObject({ equal: true, prediction: '5.0', reward: 1 });
  const strict = await retool('grade', lines, '--rule', 'dapo-strict-box-100-eq');
  expect(strict.records[0]).toMatchObject({ equal: false, prediction: '5.0', reward: -1 });
});

it('shows with all rules where they disagree', async () => {
  const lines = [
    { id: 'same', gold: '5', text: '\\boxed{5}' },
    { id: 'disputed', gold: '5', text: '\\boxed{5.0}' },
  ];
  const { records } = await retool('grade', lines, '--rule', 'all');
  expect(records).toHaveLength(2);
  expect(records[0]).toMatchObject({ kind: 'disagreement', id: 'disputed' });
  expect(records[1]).toMatchObject({ kind: 'summary', n: 2, disagreements: 1 });
});

it('extracts boxes', async () => {
  const { records } = await retool('extract', [
    { id: 'a', text: '\\boxed{1} \\boxed{2', expected_boxed: '1' },
    { id: 'b', text: 'none', expected_boxed: null },
    { id: 'c', text: '\\boxed{1}', expected_boxed: '2' },
  ]);
  expect(records[0]).toEqual({ id: 'a', boxed: '1', expected_boxed: '1', right: true });
  expect(records.at(-1)).toMatchObject({ kind: 'summary', n: 3, right: 2 });
});

it.each([
  ['grade', ['{"gold": 1'], /cases\.jsonl, line 1: not JSON\./, 1],
  ['grade', [{ gold: '1' }], /cases\.jsonl, line 1: needs the texts "gold" and "prediction"/, 1],
  ['extract', [{ text: 'a' }, { text: 3 }], /cases\.jsonl, line 2: the field "text"/, 1],
] as const)('refuses in %s a line that is no case', async (command, lines, says, code) => {
  const { stderr, exitCode } = await retool(command, lines);
  expect(stderr).toMatch(says);
  expect(exitCode).toBe(code);
});

it('names the rules there are', async () => {
  const { stderr, exitCode } = await retool('grade', [{ gold: '1', prediction: '1' }], '--rule', 'nosuch');
  expect(stderr).toMatch(/There is no reward rule "nosuch"\. Rules: boxed-rational, last-box-math, /);
  expect(exitCode).toBe(2);
});
