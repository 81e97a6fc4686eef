import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from '../../../src/lib/makeFolder';

it('makes a folder and those above it, also where others do so at once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'retool-folder-'));
  try {
    const folder = join(home, 'a', 'b', 'c');
    await Promise.all([makeFolder(folder), makeFolder(folder), makeFolder(join(home, 'a', 'b'))]);
    expect((await stat(folder)).isDirectory()).toBe(true);
    await writeFile(join(home, 'file'), '');
    await expect(makeFolder(join(home, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolder(join(home, 'file', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
  } finally {
    await rm(home, { recursive: true });
  }
});

it.skipIf(process.platform !== 'linux')(
  'says so where folders cannot be made, instead of trying without end',
  async () => {
    await expect(makeFolder('/proc/nope/retool/hub')).rejects.toMatchObject({
      code: 'disk',
      message: 'The folder /proc/nope cannot be made: /proc takes no folders.',
    });
  },
);
