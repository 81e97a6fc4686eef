import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/makeFolder';
import { processExists } from '../lib/processExists';
import { HubPart } from '../schema/hub';

const suffix = '.partial';

/**
 * A download that is not complete: a folder with the bytes and what is needed to go on. One download owns it at a time,
 * for its name holds the owner's pid, and a rename has one winner: two processes that fetch one file never write to the
 * same bytes.
 */
export class PartFile {
  private readonly folder: string;
  private readonly free: string;
  private file: FileHandle | undefined;
  size = 0;
  told: HubPart = {};

  private constructor(parts: string, key: string) {
    this.free = join(parts, `${key}${suffix}`);
    this.folder = join(parts, `${key}.${process.pid}-${randomBytes(4).toString('hex')}${suffix}`);
  }

  /** Takes over what an earlier download of the same key has left, or begins with nothing. */
  static async take(parts: string, key: string): Promise<PartFile> {
    await makeFolder(parts);
    const part = new PartFile(parts, key);
    for (const name of (await readdir(parts)).filter((each) => isLeft(each, key))) {
      if (await part.adopt(join(parts, name))) return part;
    }
    await mkdir(part.folder);
    return part;
  }

  private async adopt(left: string): Promise<boolean> {
    try {
      await rename(left, this.folder);
    } catch {
      // Another download was first.
      return false;
    }
    const text = await readFile(join(this.folder, 'part.json'), 'utf8').catch(() => 'null');
    const told = HubPart.safeParse(parsed(text));
    this.told = told.data ?? {};
    this.size = told.success ? await sizeOf(this.path) : 0;
    return true;
  }

  get path(): string {
    return join(this.folder, 'data');
  }

  /** Begins anew, with what is told of the bytes to come. */
  async restart(told: HubPart): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
    this.size = 0;
    this.told = told;
    await writeFile(join(this.folder, 'part.json'), JSON.stringify(told));
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.file ??= await open(this.path, 'a');
    await this.file.appendFile(bytes);
    this.size += bytes.length;
  }

  /** Nothing more comes. Not synced: what is broken is noticed by its hash and fetched again. */
  async finish(): Promise<void> {
    // A file without a byte was never opened.
    this.file ??= await open(this.path, 'a');
    await this.close();
  }

  /** Leaves the part to the next download of the key. */
  async leave(): Promise<void> {
    await this.close();
    if (this.size === 0) return this.discard();
    await rename(this.folder, this.free).catch(() => this.discard());
  }

  async discard(): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async close(): Promise<void> {
    await this.file?.close().catch(() => {});
    this.file = undefined;
  }
}

/** True for a part that nobody writes to: left behind in good order, or by a process that is gone. */
function isLeft(name: string, key: string): boolean {
  if (!name.startsWith(`${key}.`) || !name.endsWith(suffix)) return false;
  const pid = /\.(\d+)-[0-9a-f]+\.partial$/.exec(name)?.[1];
  return pid === undefined || !processExists(Number(pid));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
