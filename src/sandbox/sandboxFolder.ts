import { rmSync } from 'node:fs';
import { access, chmod, constants, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

/** Where sandboxes have their files: in memory where there is such a place, for a disk can hold up each call for milliseconds. */
export async function temporaryRoot(): Promise<string> {
  const memory = '/dev/shm';
  if (process.platform !== 'linux') return tmpdir();
  return access(memory, constants.W_OK | constants.X_OK).then(
    () => memory,
    () => tmpdir(),
  );
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
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Code can take its own permissions away from a folder; nothing is lost but the space.
  }
}

function removeAll(): void {
  for (const folder of [...made]) removeSandboxFolder(folder);
}

/** Removes the folders that killed processes left. @returns how many there were. */
export async function sweepSandboxFolders(): Promise<number> {
  const root = await temporaryRoot();
  const names = await readdir(root).catch(() => []);
  const stale = names.filter((name) => {
    const pid = /^retool-sandbox-(\d+)-/.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.all(stale.map((name) => rm(join(root, name), { recursive: true, force: true }).catch(() => {})));
  return stale.length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
