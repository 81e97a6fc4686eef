import { createHash } from 'node:crypto';
import { copyFile, link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../lib/makeFolder';
import { digestUserFile } from '../lib/userFile';
import { HubRecord } from '../schema/hub';
import { type HubFile, nameOf } from './hubName';
import { type HubSource, sourceKey } from './hubSource';

/**
 * ```
 * <cache>/hub/files/<sha256>/<name of the file>   a file is found by its content
 *             names/<key>.json                    what each name stood for when it was fetched
 *             models/<digest>/                    files of a model beside each other
 *             parts/*.partial                     downloads that are not complete
 * ```
 */
export class HubCache {
  readonly folder: string;

  constructor(cache: string) {
    this.folder = join(cache, 'hub');
  }

  get parts(): string {
    return join(this.folder, 'parts');
  }

  /** The path of a file with this content, if it is there undamaged. A damaged one is removed. */
  async find(sha256: string, name: string): Promise<string | undefined> {
    const folder = join(this.folder, 'files', sha256);
    const [any] = await readdir(folder).catch(() => []);
    if (any === undefined) return undefined;
    const path = join(folder, name);
    // The same content may have had another name.
    if (!(await readdir(folder)).includes(name)) await joinFile(join(folder, any), path);
    if ((await digestUserFile(path, 'disk')) === sha256) return path;
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }

  /** Takes over a file whose content has this hash. @returns its path. */
  async put(from: string, sha256: string, name: string): Promise<string> {
    const path = join(this.folder, 'files', sha256, name);
    await makeFolder(dirname(path));
    await rename(from, path);
    return path;
  }

  /** Puts files of a model into one folder. @param files SHA-256 by path. @returns the folder. */
  async gather(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(this.folder, 'models', digest(JSON.stringify(Object.entries(files).sort())).slice(0, 16));
    await makeFolder(folder);
    const there = new Set(await readdir(folder));
    for (const [path, sha256] of Object.entries(files)) {
      const found = await this.find(sha256, basename(path));
      if (found !== undefined && !there.has(path)) await joinFile(found, join(folder, path));
    }
    return folder;
  }

  /** What is known of a name from its source; undefined where it was never fetched. */
  async record(source: HubSource, file: HubFile): Promise<HubRecord | undefined> {
    const text = await readFile(this.recordPath(source, file), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    try {
      return HubRecord.parse(JSON.parse(text));
    } catch {
      // What is broken is fetched again.
      return undefined;
    }
  }

  async remember(
    source: HubSource,
    file: HubFile,
    known: Pick<HubRecord, 'commit' | 'sha256' | 'path'>,
  ): Promise<void> {
    const record: HubRecord = { name: nameOf(file), source: sourceKey(source), ...known };
    const path = this.recordPath(source, file);
    await makeFolder(dirname(path));
    // Not synced: what is broken is fetched again.
    await writeFile(path, `${JSON.stringify(record, null, 2)}\n`);
  }

  private recordPath(source: HubSource, file: HubFile): string {
    return join(this.folder, 'names', `${keyOf(source, file)}.json`);
  }
}

/** One name for each file of each source. */
export const keyOf = (source: HubSource, file: HubFile): string =>
  digest(`${sourceKey(source)}\n${nameOf(file)}`).slice(0, 32);

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The same file under another name; a copy where the disk knows no links. Another process may have been first. */
async function joinFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(from, to);
  });
}
