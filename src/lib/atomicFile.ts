import { open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { processExists } from './processExists';

const suffix = '.partial';
/** Names that `writeFileAtomic` gives, with the writer's pid; a person's own files keep theirs. */
const ours = /^\..+\.(\d+)\.partial$/;

/**
 * Writes a file so that a reader, or a crash, sees the old content or the new and nothing between: a sibling is
 * written, synced, renamed over the target, and the folder synced too.
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}${suffix}`);
  try {
    await writeWhole(partial, data);
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw namedAs(path, partial, error);
  }
  await using folder = await open(dirname(path), 'r');
  await folder.sync();
}

async function writeWhole(path: string, data: string | Uint8Array): Promise<void> {
  await using file = await open(path, 'w');
  await file.writeFile(data);
  await file.sync();
}

/** An error of the system about a file that a person knows, not about the one that stands in for it meanwhile. */
export function namedAs(path: string, inner: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  error.message = error.message.replaceAll(inner, path);
  if ((error as NodeJS.ErrnoException).path !== undefined) (error as NodeJS.ErrnoException).path = path;
  return error;
}

/** Removes what a killed `writeFileAtomic` left in `folder` or below. @returns how many files went. */
export async function sweepPartialFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const left = entries.filter((entry) => entry.isFile() && isLeft(entry.name));
  await Promise.all(left.map((entry) => rm(join(entry.parentPath, entry.name), { force: true })));
  return left.length;
}

function isLeft(name: string): boolean {
  const pid = Number(ours.exec(name)?.[1]);
  return Number.isInteger(pid) && (pid === process.pid || !processExists(pid));
}
