import { readdir, readFile, rmdir, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sweepPartialFiles, writeFileAtomic } from '../../lib/atomicFile';
import { RetoolError } from '../../lib/errors';
import { makeFolder } from '../../lib/makeFolder';
import type { Checkpoint } from '../../schema/tinker';
import type { ModelShape, ModelState } from '../engine';
import { Fault } from './fault';
import { BrokenFile, decodeSafetensors, encodeSafetensors } from './safetensors';

/** `weights`: to resume training from. `sampler_weights`: to sample from only. */
export type CheckpointKind = 'weights' | 'sampler_weights';

export interface CheckpointPlace {
  readonly run: string;
  readonly kind: CheckpointKind;
  readonly name: string;
}

const extension = '.safetensors';

/** File names have at most 255 bytes; a file being written has 29 more than the checkpoint. */
const longestName = 226;

const tinkerPath = /^tinker:\/\/([a-zA-Z0-9_-]{1,255})\/(weights|sampler_weights)\/([a-zA-Z0-9_-]{1,255})$/;
const shapeKeys = ['vocabulary', 'width', 'layers', 'heads', 'context'] as const;

/** @throws Fault 400 when it is no path of a checkpoint, or of one that is of no use here. */
export function parseTinkerPath(path: string, wanted?: CheckpointKind): CheckpointPlace {
  const [, run, kind, name] = tinkerPath.exec(path) ?? [];
  if (!run || !name) {
    throw new Fault(
      400,
      `${path} is not a checkpoint path: use tinker://RUN/weights/NAME or tinker://RUN/sampler_weights/NAME.`,
    );
  }
  if (wanted && kind !== wanted)
    throw new Fault(400, `${path} holds ${kind}, but this call needs a path of ${wanted}.`);
  return { run, kind: kind as CheckpointKind, name };
}

export function toTinkerPath({ run, kind, name }: CheckpointPlace): string {
  return `tinker://${run}/${kind}/${name}`;
}

/** Checkpoints in a folder, one safetensors file each. The folder is the truth: nothing about them is kept elsewhere. */
export class CheckpointStore {
  private readonly directory: string;
  private readonly shape: ModelShape;
  private readonly writing = new Set<Promise<void>>();

  private constructor(directory: string, shape: ModelShape) {
    this.directory = directory;
    this.shape = shape;
  }

  /**
   * Makes the folder and removes what a killed process left half written.
   *
   * @param checkpointBytes that there must be room for.
   * @throws RetoolError `disk` when nothing can be written there.
   */
  static async open(directory: string, shape: ModelShape, checkpointBytes: number): Promise<CheckpointStore> {
    try {
      await makeFolder(directory);
      await sweepPartialFiles(directory);
      const probe = join(directory, '.probe');
      await writeFile(probe, 'x');
      await unlink(probe);
      const { bavail, bsize } = await statfs(directory);
      if (bavail * bsize < checkpointBytes) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    } catch (error) {
      throw new RetoolError('disk', `No checkpoint can be saved in ${directory}: ${reasonOf(error)}.`, {
        hint: 'Make room there, or choose another folder.',
        cause: error,
      });
    }
    return new CheckpointStore(directory, shape);
  }

  /** @throws Fault 400 when no file can have its name. */
  checkName({ name }: CheckpointPlace): void {
    if (name.length <= longestName) return;
    throw new Fault(400, `The checkpoint's name has ${name.length} characters; files here can have ${longestName}.`);
  }

  file({ run, kind, name }: CheckpointPlace): string {
    return join(this.directory, run, kind, `${name}${extension}`);
  }

  exists(place: CheckpointPlace): Promise<boolean> {
    return stat(this.file(place)).then(
      () => true,
      () => false,
    );
  }

  /**
   * Writes it whole: after a crash the file is there as it should be, or not at all. Its bytes depend on the state alone.
   *
   * @throws Error the reason and the path: "the disk is full (path)"; or the tensor that could not be loaded again.
   */
  async save(place: CheckpointPlace, state: ModelState): Promise<void> {
    const file = this.file(place);
    for (const [name, { data }] of state) {
      if (!data.every(Number.isFinite)) throw new Error(`${name} has a value that is not finite: nothing was saved`);
    }
    const shape = shapeKeys.map((key) => [key, String(this.shape[key])]);
    const bytes = encodeSafetensors(state, { format: 'retool', kind: place.kind, ...Object.fromEntries(shape) });
    const written = makeFolder(dirname(file)).then(() => writeFileAtomic(file, bytes));
    this.writing.add(written);
    try {
      await written;
    } catch (error) {
      throw new Error(`${reasonOf(error)} (${file})`, { cause: error });
    } finally {
      this.writing.delete(written);
    }
  }

  /** @throws Fault when it is missing, broken or of a model of another shape. */
  async load(place: CheckpointPlace): Promise<ModelState> {
    const file = this.file(place);
    return this.reading(place, async () => {
      const { metadata, state } = decodeSafetensors(await readFile(file));
      this.checkShape(place, metadata);
      return state;
    });
  }

  /** @returns false when there was none. */
  async remove(place: CheckpointPlace): Promise<boolean> {
    const file = this.file(place);
    try {
      await unlink(file);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    // An empty folder would be listed as a run; one that is not empty stays.
    await rmdir(dirname(file)).catch(() => undefined);
    await rmdir(dirname(dirname(file))).catch(() => undefined);
    return true;
  }

  /** Runs that have checkpoints, by name. */
  async runs(): Promise<string[]> {
    const entries = await readdir(this.directory, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    return names.sort();
  }

  /** Checkpoints of a run, the oldest first. */
  async list(run: string): Promise<Checkpoint[]> {
    const kinds = ['weights', 'sampler_weights'] as const;
    const found = await Promise.all(kinds.map((kind) => this.listKind(run, kind)));
    return found.flat().sort((a, b) => (a.time < b.time ? -1 : 1));
  }

  /** Resolves when no write is under way. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.writing);
  }

  private async listKind(run: string, kind: CheckpointKind): Promise<Checkpoint[]> {
    const folder = join(this.directory, run, kind);
    const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith(extension));
    const checkpoints = files
      .filter((file) => !file.startsWith('.'))
      .map(async (file): Promise<Checkpoint | undefined> => {
        const info = await stat(join(folder, file)).catch(() => undefined);
        if (!info) return undefined;
        const name = file.slice(0, -extension.length);
        return {
          checkpoint_id: `${kind}/${name}`,
          checkpoint_type: kind === 'weights' ? 'training' : 'sampler',
          time: info.mtime.toISOString(),
          tinker_path: toTinkerPath({ run, kind, name }),
          size_bytes: info.size,
          public: false,
          expires_at: null,
        };
      });
    return (await Promise.all(checkpoints)).filter((checkpoint) => checkpoint !== undefined);
  }

  private checkShape(place: CheckpointPlace, metadata: Readonly<Record<string, string>>): void {
    for (const key of shapeKeys) {
      const own = String(this.shape[key]);
      if (metadata[key] === own) continue;
      const other = metadata[key] ?? 'unknown';
      throw new Fault(
        400,
        `The checkpoint ${toTinkerPath(place)} is of a model with ${key} ${other}, this one has ${own}.`,
      );
    }
  }

  private async reading<T>(place: CheckpointPlace, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof BrokenFile) {
        throw new Fault(400, `The checkpoint ${this.file(place)} is broken: ${error.message}.`);
      }
      if (isMissing(error)) {
        throw new Fault(404, `There is no checkpoint ${toTinkerPath(place)} in ${this.directory}.`);
      }
      throw error;
    }
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';

/** A name that no file can have is the name of none. */
const isMissing = (error: unknown) => ['ENOENT', 'ENAMETOOLONG'].includes(codeOf(error));

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
  EROFS: 'the disk is read-only',
  EACCES: 'writing there is not allowed',
  EPERM: 'writing there is not allowed',
  ENOTDIR: 'it is not a folder',
  EEXIST: 'it is not a folder',
};

const reasonOf = (error: unknown) => reasons[codeOf(error)] ?? (error instanceof Error ? error.message : String(error));
