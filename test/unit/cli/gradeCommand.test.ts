import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
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
    expected: 4,
    found: 2,
    right: 2,
    falsePositives: 1,
    falseNegatives: 1,
    unknown: 1,
  });
});

it('shows an id on one line, whatever it holds', async () => {
  const file = join(folder, 'ids.jsonl');
  await writeFile(file, JSON.stringify({ id: 'a\nb: correct. Both\u2028sides', gold: '1', prediction: '2' }));
  for (const options of [[], ['--rule', 'all']]) {
    const { stdout } = await execa('node', [cli, 'grade', file, ...options]);
    expect(stdout.split(/[\n\u2028]/).filter((line) => line.startsWith('b:'))).toEqual([]);
  }
  const { stdout } = await execa('node', [cli, 'grade', file]);
  expect(stdout).toContain('a\\u000ab: correct. Both\\u2028sides: incorrect.');
});

async function says(command: string, lines: readonly object[], ...options: string[]): Promise<string[]> {
  const file = join(folder, 'said.jsonl');
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const { stdout } = await execa('node', [cli, command, file, ...options]);
  return stdout.split('\n');
}

it('shows gold and prediction of a case that came out otherwise, and of one that rules dispute', async () => {
  const pair = { id: 'a', gold: '1/3', prediction: '0.33', equal: true };
  const [graded, counts] = await says('grade', [pair]);
  expect(graded).toBe('a: incorrect, but should not be. Gold 1/3, prediction 0.33. The sides mean different things.');
  expect(counts).toMatch(
    /^1 case: 0 correct, 0 not understood, 0 of 1 as expected, 0 false positives, 1 false negative;/,
  );
  const [cut] = await says('grade', [{ gold: '1', text: 'no box' }]);
  expect(cut).toBe('1: incorrect. Gold 1, no prediction. The answer holds no complete box.');
  const [disputed] = await says('grade', [{ id: 'd', gold: '5', text: '\\fbox{5.0}' }], '--rule', 'all');
  expect(disputed).toMatch(/^d: gold 5, prediction 5\.0 or none; correct for boxed-rational, .*; incorrect for /);
});

it('says of extracted boxes what was expected, where something was', async () => {
  const lines = await says('extract', [{ id: 'a', text: 'none' }]);
  expect(lines[0]).toBe('a: no box');
  expect(lines[1]).toMatch(/^1 text: 0 with a box; slowest /);
  const wrong = await says('extract', [{ id: 'b', text: '\\boxed{1}', expected_boxed: null }]);
  expect(wrong[0]).toBe('b: box 1, expected no box');
  expect(wrong[1]).toMatch(/^1 text: 1 with a box, 0 of 1 as expected; slowest /);
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
  [
    'grade',
    [{ id: { a: 1 }, gold: '1', prediction: '1' }],
    /cases\.jsonl, line 1: the field "id" is neither a text nor/,
    1,
  ],
  ['extract', [{ id: ['a'], text: 'a' }], /cases\.jsonl, line 1: the field "id" is neither a text nor a number\./, 1],
  [
    'grade',
    [{ gold: '1', prediction: '1', equal: 'yes' }],
    /cases\.jsonl, line 1: the field "equal" is neither true nor false\./,
    1,
  ],
  [
    'grade',
    [{ gold: '5', prediction: 5.0 }],
    /cases\.jsonl, line 1: the field "prediction" is a number and has to be a text: put it in quotes\./,
    1,
  ],
  ['extract', [{ text: 'a' }, { text: 3 }], /cases\.jsonl, line 2: the field "text" is a number and has to be/, 1],
  ['extract', [{ id: 'a' }], /cases\.jsonl, line 1: the field "text" is missing\./, 1],
  ['extract', [{ text: 'a', expected_boxed: 3 }], /line 1: the field "expected_boxed" is a number and has to be/, 1],
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

it.each<[string, (path: string) => unknown, RegExp]>([
  ['a file that is not there', () => {}, /There is no file /],
  ['a folder', (path) => mkdir(path), / is a folder, not a file\./],
  ['an empty file', (path) => writeFile(path, '\n\n'), / holds no cases\./],
  ['no object', (path) => writeFile(path, '[1]'), /, line 1: not a JSON object\./],
  ['bytes that are no text', (path) => writeFile(path, Buffer.from([0x7b, 0xff, 0xfe])), /, line 1: not UTF-8 text\./],
  [
    'a line without end',
    async (path) => {
      await writeFile(path, '{"gold":"1","text":"\\\\boxed{1}"}\n"');
      await truncate(path, 1_100_000_000);
    },
    /, line 2: longer than 67108864 bytes\./,
  ],
  ['a pipe that nobody writes to', (path) => execa('mkfifo', [path]), / is a pipe or a device, not a file\./],
])('refuses %s in one sentence', async (name, make, says) => {
  const path = join(folder, `${name.replaceAll(' ', '-')}.jsonl`);
  await make(path);
  for (const command of ['grade', 'extract']) {
    const { stdout, stderr, exitCode } = await execa('node', [cli, command, path], { reject: false, timeout: 20_000 });
    expect(stderr).toMatch(says);
    expect(stderr.split('\n')).toHaveLength(1);
    expect([stdout, exitCode]).toEqual(['', 1]);
  }
});

it('extracts by the box of a reward rule', async () => {
  const lines = [{ id: 'a', text: '\\fbox{1}', dapo_strict: null }];
  const { records } = await retool('extract', lines, '--rule', 'dapo-strict-box-100-eq');
  expect(records[0]).toMatchObject({ boxed: null, right: true });
});
