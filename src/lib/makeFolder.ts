import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { RetoolError } from './errors';

/**
 * Makes a folder and those above it that are missing. Not by `recursive` of mkdir: where a file system says ENOENT for
 * what it does not allow, as /proc does, Node tries again without end.
 *
 * @throws RetoolError `disk` where its parent takes no folders; else what the system says.
 */
export async function makeFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const parent = dirname(path);
  const fault = await faultOf(path);
  if (fault === undefined) return;
  if (fault.code !== 'ENOENT' || parent === path) throw fault;
  await makeFolder(parent);
  const again = await faultOf(path);
  if (again === undefined) return;
  if (again.code !== 'ENOENT') throw again;
  throw new RetoolError('disk', `The folder ${path} cannot be made: ${parent} takes no folders.`, {
    hint: 'Choose another one; that of the cache is set by XDG_CACHE_HOME.',
    cause: again,
  });
}

/** Why there is no such folder now. */
async function faultOf(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path);
    return undefined;
  } catch (error) {
    // Windows says EPERM of a drive that is there.
    const isThere = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}
