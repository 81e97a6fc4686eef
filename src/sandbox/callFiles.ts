import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmdirSync, unlinkSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';

/** First byte of the input, before the code. The runner removes it when it is about to run the code. */
const unreached = 0x01;

/** What a call says of itself when it ends by itself. */
export interface CallReport {
  /** False when the process ended before the code began: the fault is not the code's. */
  readonly reached: boolean;
  readonly cpuSeconds: number | undefined;
  readonly peakMemoryBytes: number | undefined;
}

/** The folder of one call, and its three standard files, which have no name that the code could find. */
export class CallFiles {
  readonly folder: string;
  readonly input: number;
  readonly output: number;
  readonly errors: number;

  /** @throws the error of the file system, leaving nothing behind. */
  constructor(folder: string, code: string) {
    this.folder = folder;
    mkdirSync(folder, 0o700);
    const opened: number[] = [];
    const open = (flags: string) => {
      const path = `${folder}.file`;
      const file = openSync(path, flags, 0o600);
      opened.push(file);
      unlinkSync(path);
      return file;
    };
    try {
      this.input = open('wx+');
      // At a given position, so that the offset, which the process shares, stays at the start.
      const bytes = Buffer.from(`${String.fromCharCode(unreached)}${code}`);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.input, bytes, done, bytes.length - done, done);
      this.output = open('ax+');
      this.errors = open('ax+');
    } catch (error) {
      for (const file of opened) closeSync(file);
      rmdirSync(folder);
      throw error;
    }
  }

  report(): CallReport {
    const bytes = Buffer.alloc(64);
    const text = bytes.toString('latin1', 0, readSync(this.input, bytes, 0, bytes.length, 0));
    const [, cpu, peak] = /^(\d{1,9}\.\d{6}) (\d{1,15})$/.exec(text) ?? [];
    return {
      reached: bytes[0] !== unreached,
      cpuSeconds: cpu === undefined ? undefined : Number(cpu),
      peakMemoryBytes: peak === undefined ? undefined : Number(peak),
    };
  }

  async remove(): Promise<void> {
    for (const file of [this.input, this.output, this.errors]) closeSync(file);
    try {
      rmdirSync(this.folder);
    } catch {
      // The code wrote files. What cannot be removed goes, or stays, with the sandbox.
      await rm(this.folder, { recursive: true, force: true }).catch(() => {});
    }
  }
}

/** CPU that a running process has used, all its threads together; undefined where the system does not tell. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    const ticksPerSecond = 100;
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
