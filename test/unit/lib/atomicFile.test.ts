import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweepPartialFiles, writeFileAtomic } from '../../../src/lib/atomicFile';

it('sweeps what its own killed writers left, and nothing of anybody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'retool-test-'));
  await writeFileAtomic(join(folder, 'a.json'), '1');
  for (const name of [
    '.a.json.999999999.partial',
    'film.partial',
    '.thesis.partial',
    `.b.json.${process.ppid}.partial`,
  ]) {
    await writeFile(join(folder, name), 'half');
  }
  expect(await sweepPartialFiles(folder)).toBe(1);
  expect((await readdir(folder)).sort()).toEqual(
    [`.b.json.${process.ppid}.partial`, '.thesis.partial', 'a.json', 'film.partial'].sort(),
  );
  expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('1');
  await rm(folder, { recursive: true });
});

it('names the file that was to be written where it cannot be, and leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'retool-test-'));
  await mkdir(join(folder, 'taken', 'full'), { recursive: true });
  for (const path of [join(folder, 'taken'), join(folder, 'missing', 'a.json')]) {
    const error: unknown = await writeFileAtomic(path, '1').catch((caught: unknown) => caught);
    expect(error).toMatchObject({ path, message: expect.stringContaining(path) });
    expect((error as Error).message).not.toContain('.partial');
  }
  expect(await readdir(folder)).toEqual(['taken']);
  await rm(folder, { recursive: true });
});
