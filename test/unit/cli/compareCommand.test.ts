import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  expect((await read('c.csv')).split('\r\n')).toHaveLength(3 + 2);
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
