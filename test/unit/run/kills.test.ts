import { type FSWatcher, watch } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { mulberry32 } from '../../../src/lib/seed';
import { cliScript, essenceOf, smallExperiment } from '../../support/smallRun';

const onLinux = process.platform === 'linux';

/** Pids whose command line names `text`; nobody else's. */
async function processesOf(text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return pids.filter((pid, i) => pid !== process.pid && lines[i]?.includes(text));
}

async function trainerOf(folder: string): Promise<number | undefined> {
  const found = await processesOf(join(folder, 'checkpoints'));
  return found[0];
}

const sandboxFolders = async (pid: number) =>
  (await readdir(tmpdir())).filter((name) => name.startsWith(`retool-sandbox-${pid}-`));

/** A kill of one of the processes of a run, at a moment that the draw decides. */
async function killOnce(
  folder: string,
  cli: number,
  victim: 'cli' | 'trainer' | 'save',
  moment: number,
): Promise<void> {
  let watcher: FSWatcher | undefined;
  if (victim === 'save') {
    const checkpoints = join(folder, 'checkpoints');
    await mkdir(checkpoints, { recursive: true });
    const began = new Promise<void>((resolve) => {
      watcher = watch(checkpoints, { recursive: true }, (_event, name) => {
        if (name?.endsWith('.partial')) resolve();
      });
    });
    await Promise.race([began, delay(20_000)]);
    watcher?.close();
  } else {
    await delay(300 + moment * 3500);
  }
  const pid = victim === 'cli' ? cli : ((await trainerOf(folder)) ?? cli);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It had ended by itself.
  }
}

describe('a run whose processes are killed', () => {
  it.skipIf(!onLinux)(
    'at any moment, a dozen times, ends as if it had never been disturbed and leaves nothing behind (Linux: reads /proc)',
    { timeout: 400_000 },
    async () => {
      const calm = await smallExperiment();
      const calmFolder = join(dirname(calm), 'run');
      await execa('node', [cliScript, 'train', calm, '--run-dir', calmFolder, '--json']);
      const expected = await essenceOf(calmFolder);

      const random = mulberry32(20261129);
      const victims = ['cli', 'trainer', 'save', 'cli'] as const;
      let kills = 0;
      while (kills < 12) {
        const experiment = await smallExperiment();
        const folder = join(dirname(experiment), 'run');
        const pids: number[] = [];
        /** Killed between its last line and its end: nothing is left but a lock that nobody holds. */
        let late = false;
        let args = ['train', experiment, '--run-dir', folder, '--json'];
        for (;;) {
          const cli = execa('node', [cliScript, ...args], { reject: false, cleanup: false });
          const pid = cli.pid!;
          pids.push(pid);
          const ending = kills < 12 ? killOnce(folder, pid, victims[kills++ % victims.length]!, random()) : undefined;
          const result = await cli;
          await ending;
          if (result.exitCode === 0) break;
          await delay(2000);
          expect(await processesOf(folder)).toEqual([]);
          expect(await processesOf(`retool-sandbox-${pid}-`)).toEqual([]);
          const begun = await readRun(folder).catch(() => undefined);
          late = begun?.status === 'completed';
          if (late) break;
          if (begun) expect(['interrupted', 'failed']).toContain(begun.status);
          args = begun ? ['resume', folder, '--json'] : args;
          if (!begun) await rm(folder, { recursive: true, force: true });
        }
        expect(await essenceOf(folder)).toEqual(expected);
        const left = await readdir(folder, { recursive: true });
        expect(left.filter((name) => name.endsWith('.partial') || (name.endsWith('lock.json') && !late))).toEqual([]);
        expect((await Promise.all(pids.map(sandboxFolders))).flat()).toEqual([]);
      }
    },
  );
});
