import { chmodSync, lstatSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { access, chmod, constants, mkdtemp, readdir, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { processExists } from '../lib/processExists';

const made = new Set<string>();

/** A memory file system, where there is one: a disk can hold up each call for milliseconds. */
const memory = '/dev/shm';
const leastBytes = 32 << 20;

/** Where a new sandbox has its files: in memory where there is room for them. */
export async function temporaryRoot(): Promise<string> {
  if (process.platform !== 'linux') return tmpdir();
  try {
    await access(memory, constants.W_OK | constants.X_OK);
    const { bavail, bsize, ffree, files } = await statfs(memory);
    return bavail * bsize >= leastBytes && (files === 0 || ffree >= 1024) ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Makes a folder for a sandbox's temporary files; its name tells the process it belongs to. It goes when that exits. */
export async function makeSandboxFolder(): Promise<string> {
  const folder = await mkdtemp(join(await temporaryRoot(), `retool-sandbox-${process.pid}-`));
  await chmod(folder, 0o711); // a call may run as another user, who must get to its own folder below
  if (made.size === 0) process.once('exit', removeAll);
  made.add(folder);
  return folder;
}

export function removeSandboxFolder(folder: string): void {
  made.delete(folder);
  if (made.size === 0) process.off('exit', removeAll);
  removeTree(folder);
}

function removeAll(): void {
  for (const folder of [...made]) removeSandboxFolder(folder);
}

/** Removes the folders that killed processes of this user left. @returns how many there were. */
export async function sweepSandboxFolders(): Promise<number> {
  let swept = 0;
  for (const root of new Set([memory, tmpdir()])) {
    for (const name of await readdir(root).catch(() => [])) {
      const pid = /^retool-sandbox-(\d+)-/.exec(name)?.[1];
      if (pid !== undefined && !processExists(Number(pid)) && removeTree(join(root, name))) swept += 1;
    }
  }
  return swept;
}

/**
 * Removes a folder of this user that code has written to: it may be deeper than a path can be long, take its permissions
 * away, or have been replaced by a link. What is below a folder is moved up into `root`, so that no path grows.
 *
 * @returns whether it is gone.
 */
function removeTree(root: string): boolean {
  try {
    const { uid } = lstatSync(root);
    if (uid !== process.getuid?.()) return false;
    if (unlinks(root)) return true;
    chmodSync(root, 0o700);
    for (let names = readdirSync(root); names.length > 0; names = readdirSync(root)) {
      for (const name of names) {
        const path = join(root, name);
        if (unlinks(path)) continue;
        chmodSync(path, 0o700);
        for (const inner of readdirSync(path)) {
          if (unlinks(join(path, inner))) continue;
          chmodSync(join(path, inner), 0o700); // a folder is moved by who may write to it
          renameSync(join(path, inner), join(root, `.moved-${process.hrtime.bigint()}`));
        }
        rmdirSync(path);
      }
    }
    rmdirSync(root);
    return true;
  } catch {
    return false; // nothing is lost but the space
  }
}

/** False when `path` is a folder. */
function unlinks(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EISDIR' || code === 'EPERM') return false;
    throw error;
  }
}
