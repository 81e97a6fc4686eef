import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const suffix = '.partial';

/**
 * Writes a file so that a reader, or a crash, sees the old content or the new and nothing between: a sibling is
 * written, synced, renamed over the target, and the folder synced too.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}${suffix}`);
  try {
    await using file = await open(partial, 'w');
    await file.writeFile(data);
    await file.sync();
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
  await rename(partial, path);
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

/** Removes what a killed `writeFileAtomic` left in `folder` or below. @returns how many files went. */
export async function sweepPartialFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const left = entries.filter((entry) => entry.isFile() && entry.name.endsWith(suffix));
  await Promise.all(left.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
  return left.length;
}
