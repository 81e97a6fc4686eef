import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Kills a process group. One that is gone already is fine. */
export function killGroup(leader: number): void {
  kill(-leader);
}

/**
 * Kills what left the group of a call with `setsid`: on Linux, processes younger than `leader` that have `folder` as
 * their home or working folder. Elsewhere it finds nothing.
 */
export function killStragglers(leader: number, folder: string): void {
  if (process.platform !== 'linux') return;
  // A straggler may fork while it is being looked for, so look until nothing is found.
  for (let pass = 0; pass < 20; pass++) {
    const found = readdirSync('/proc').filter((name) => Number(name) > leader && belongsTo(name, folder));
    if (found.length === 0) return;
    for (const name of found) kill(Number(name));
  }
}

function belongsTo(pid: string, folder: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${folder}\0`)) return true;
    const at = readlinkSync(`/proc/${pid}/cwd`);
    return at === folder || at.startsWith(`${folder}/`);
  } catch {
    return false; // it ended, or is another user's
  }
}

function kill(target: number): void {
  try {
    process.kill(target, 'SIGKILL');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // macOS answers EPERM for a group of zombies.
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
