import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { compareCommand } from '../../../src/cli/compareCommand';
import { Output } from '../../../src/cli/output';
import { writeComparedRun } from '../../support/comparisonFixture';

let folder: string;
let run: Awaited<ReturnType<typeof writeComparedRun>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'compare-'));
  run = await writeComparedRun(join(folder, '.retool', 'runs'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('writes what the editor exports: numbers, table and figures', async () => {
  const at = (name: string) => join(folder, name);
  const files = ['--csv', at('c.csv'), '--markdown', at('c.md'), '--svg', at('c.svg'), '--checkpoint-svg', at('p.svg')];
  const code = await compareCommand([run.folder, '--baseline', run.ids[0]!, ...files], new Output(true));
  expect(code).toBe(0);
  const read = (name: string) => readFile(at(name), 'utf8');
  expect((await read('c.csv')).split('\r\n')).toHaveLength(1 + 3 * 8 + 1);
  expect(await read('c.md')).toMatch(/\| Step 40 \|.*\| \d\S* CNY \|/);
  expect(await read('c.svg')).toMatch(/<svg [^>]*>\n<title>held-out: Score by checkpoint<\/title>/);
  expect(await read('p.svg')).toContain('>Step 60</text>');
});

it('says in one sentence where a file cannot be written', async () => {
  const file = join(folder, 'nowhere', 'c.csv');
  await expect(compareCommand([run.folder, '--csv', file], new Output(true))).rejects.toThrow(
    /c\.csv cannot be written/,
  );
});

it('writes over nothing that a run is made of', async () => {
  const journal = join(run.folder, 'journal.jsonl');
  await expect(compareCommand([run.folder, '--svg', journal], new Output(true))).rejects.toThrow(
    /--svg writes a file that ends in \.svg, and ".*journal\.jsonl" does not/,
  );
});

/** What a command says. */
async function saidBy(args: readonly string[]): Promise<string> {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await compareCommand(args, new Output(false));
    return written.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    written.mockRestore();
  }
}

it('names the file of a folder that cannot be read, with its line, and compares the others', async () => {
  const torn = join(folder, '.retool', 'runs', 'torn');
  await cp(run.folder, torn, { recursive: true });
  const file = join(torn, 'evaluations', `${run.ids[1]}.jsonl`);
  await appendFile(file, '{"type":"prob');
  const lines = (await readFile(file, 'utf8')).split('\n').length;
  const said = await saidBy([torn, '--baseline', run.ids[0]!]);
  expect(said).toContain(`${run.ids[0]}: average@`);
  expect(said).toContain(`Left out, for it cannot be read: ${file}, line ${lines}: not JSON.`);
});

it('compares with the first of the largest group asked alike, and says how others were asked otherwise', async () => {
  const said = await saidBy([run.folder]);
  expect(said).toMatch(new RegExp(`^held-out, compared with ${run.ids[0]}:`));
  expect(said).toContain(`${run.ids[3]} is left out, for it was asked otherwise: temperature 0.6 instead of 1.`);
  expect(said).not.toMatch(/[0-9a-f]{16}/);
});

it('says which evaluations are on other sets, and how to see them', async () => {
  const home = join(folder, 'files');
  await mkdir(home);
  const own = await readFile(join(run.folder, 'evaluations', `${run.ids[0]}.jsonl`), 'utf8');
  for (const [name, set] of Object.entries({ 'a.jsonl': 'one set', 'b.jsonl': 'two', 'c.jsonl': 'two' })) {
    await writeFile(join(home, name), own.replace(/"dataset":"[^"]*"/, `"dataset":"${set}"`));
  }
  const said = await saidBy(['a', 'b', 'c'].map((name) => join(home, `${name}.jsonl`)));
  expect(said).toMatch(/^two, compared with two\.b/);
  expect(said).toMatch(/On one set is one-set\.a\.\w{8}: --dataset 'one set' shows it\./);
});

it('says of an empty folder what it is not', async () => {
  const empty = join(folder, 'empty');
  await mkdir(empty);
  await expect(saidBy([empty])).rejects.toThrow(
    /empty holds no evaluations, and is no run either: it has no experiment\.json\./,
  );
});
