import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { RetoolError } from '../lib/errors';
import { type Patience, realPatience } from '../lib/patience';
import { digestUserFile } from '../lib/userFile';
import { Download, type Fetched } from './download';
import { HubCache } from './hubCache';
import { type HubFile, nameOf, nameOfRepository, type Repository } from './hubName';
import { type HubServer, type HubSource, parseSource, sourceName, userCache } from './hubSource';
import type { FetchOptions } from './hubWait';
import { NoSuchFile } from './refusal';
import { folderFiles, onlyDataFile, repositoryFiles } from './repositoryFiles';

export interface HubOptions {
  /** Address, `modelscope` or a folder; default: HF_ENDPOINT, else Hugging Face. */
  readonly source?: HubSource | undefined;
  /** Folder that the cache lies in; default: the user's. */
  readonly cache?: string | undefined;
  /** Default: HF_TOKEN, which is for Hugging Face and its mirrors. */
  readonly token?: string | undefined;
  readonly patience?: Patience;
  /** Takes what is there and asks nobody. */
  readonly offline?: boolean;
}

/** What training reads of a model: its tokens, its turns, and how it samples. */
const modelFiles = ['tokenizer.json', 'tokenizer_config.json', 'chat_template.jinja', 'generation_config.json'];

/** Files of models and data sets by name, from one source, by way of the cache. */
export class Hub {
  readonly source: HubSource;
  /** Folder that the cache lies in. */
  readonly folder: string;
  private readonly cache: HubCache;
  private readonly offline: boolean;
  private readonly access: { readonly token: string | undefined; readonly patience: Patience };

  constructor({ source, cache, token, patience = realPatience, offline = false }: HubOptions = {}) {
    this.offline = offline;
    this.source = source ?? parseSource(process.env.HF_ENDPOINT);
    this.folder = cache ?? userCache();
    this.cache = new HubCache(this.folder);
    const own = this.source.kind === 'huggingFace' ? process.env.HF_TOKEN?.trim() : undefined;
    this.access = { token: token ?? (own || undefined), patience };
  }

  /** The same cache, filled from elsewhere and without a token. */
  from(source: HubSource): Hub {
    return new Hub({ source, cache: this.folder, patience: this.access.patience, offline: this.offline });
  }

  /**
   * A file that is there already, without asking anybody.
   *
   * @param sha256 that it must have; default: that of the last fetch.
   */
  async find(file: HubFile, sha256?: string): Promise<Fetched | undefined> {
    if (this.source.kind === 'folder') {
      const named = file.path === '' ? await this.onlyFile(file.repository).catch(() => undefined) : file;
      const path = named && this.pathInFolder(this.source.folder, named);
      if (path === undefined || !(await isFile(path))) return undefined;
      return { path, sha256: await digestUserFile(path, 'data') };
    }
    const record = await this.cache.record(this.source, file);
    const wanted = sha256 ?? record?.sha256;
    const name = basename(file.path || (record?.path ?? file.repository.id));
    const path = wanted ? await this.cache.find(wanted, name) : undefined;
    return path === undefined ? undefined : { path, sha256: wanted!, commit: record?.commit };
  }

  /**
   * A file: that of the cache, or else fetched.
   *
   * @param sha256 that it must have.
   * @throws RetoolError `data` where it has another one, or is not there; `service` where the hub does not give it.
   */
  async get(file: HubFile, sha256?: string, options: FetchOptions = {}): Promise<Fetched> {
    const got = (await this.find(file, sha256)) ?? (await this.fetch(file, options));
    if (sha256 === undefined || got.sha256 === sha256) return got;
    const name = nameOf(file);
    throw new RetoolError('data', `${name} is pinned to ${sha256}, but ${sourceName(this.source)} has ${got.sha256}.`, {
      hint: 'Correct its line in pins if the change is meant, or name the revision that was pinned: OWNER/NAME@REVISION.',
    });
  }

  /** Asks the hub for a file, whatever the cache has. @throws RetoolError as `get`. */
  async fetch(file: HubFile, options: FetchOptions = {}): Promise<Fetched> {
    const { source } = this;
    if (source.kind === 'folder') {
      const named = file.path === '' ? await this.onlyFile(file.repository) : file;
      const found = await this.find(named);
      if (found) return found;
      throw new NoSuchFile('data', `The hub folder has no file ${this.pathInFolder(source.folder, file)}.`, {
        hint: 'A hub folder is laid out as OWNER/NAME/… or OWNER/NAME@REVISION/…: put the file there, or name another hub.',
      });
    }
    this.requireOnline(file);
    const named = file.path === '' ? await this.onlyFile(file.repository, options) : file;
    const fetched = await this.download(source, named, options);
    const path = file.path === '' ? named.path : undefined;
    await this.cache.remember(source, file, { commit: fetched.commit, sha256: fetched.sha256, path });
    return fetched;
  }

  /**
   * The files of a model that training reads, in one folder.
   *
   * @param again asks the hub whatever the cache has.
   * @returns SHA-256 of each by its name; those that the model has not are left out.
   */
  async getModel(
    model: Repository,
    options: FetchOptions = {},
    again = false,
  ): Promise<{ readonly folder: string; readonly files: Readonly<Record<string, string>> }> {
    const { source } = this;
    const files: Record<string, string> = {};
    let commit: string | undefined;
    for (const path of modelFiles) {
      const got = await this.fileOfModel({ repository: model, path }, commit, options, again);
      if (!got) continue;
      files[path] = got.sha256;
      // Files of one commit, though the branch may move meanwhile.
      commit ??= got.commit;
    }
    if (Object.keys(files).length === 0) {
      throw new NoSuchFile('data', `${sourceName(source)} has no model ${nameOfRepository(model)} with a tokenizer.`, {
        hint: `Name one that has ${modelFiles.slice(0, 2).join(' or ')}.`,
      });
    }
    if (source.kind === 'folder') return { folder: join(source.folder, nameOfRepository(model)), files };
    return { folder: await this.cache.gather(files), files };
  }

  /** Undefined where the model has no such file: the cache knows that too, once it was asked for. */
  private async fileOfModel(
    file: HubFile,
    commit: string | undefined,
    options: FetchOptions,
    again: boolean,
  ): Promise<Fetched | undefined> {
    const { source } = this;
    if (source.kind === 'folder') return this.find(file);
    const record = again ? undefined : await this.cache.record(source, file);
    if (record && (commit === undefined || record.commit === commit)) {
      const here = record.sha256 === null ? null : await this.find(file);
      if (here === null || here) return here ?? undefined;
    }
    const { repository, path } = file;
    const exact = { repository: { ...repository, revision: commit ?? repository.revision }, path };
    try {
      const got = await this.download(source, exact, options);
      await this.cache.remember(source, file, { commit: got.commit, sha256: got.sha256 });
      return got;
    } catch (error) {
      if (!(error instanceof NoSuchFile)) throw error;
      await this.cache.remember(source, file, { commit, sha256: null });
      return undefined;
    }
  }

  /** The data file that a repository is the name of. */
  private async onlyFile(repository: Repository, { signal, onFetch }: FetchOptions = {}): Promise<HubFile> {
    const { source } = this;
    if (source.kind === 'folder') {
      const folder = join(source.folder, nameOfRepository(repository));
      return onlyDataFile(source, repository, await folderFiles(folder));
    }
    const access = { ...this.access, signal: signal ?? new AbortController().signal, onFetch };
    const files = await repositoryFiles(source, repository, '', access);
    return onlyDataFile(
      source,
      repository,
      files.map(({ path }) => path),
    );
  }

  private download(source: HubServer, file: HubFile, options: FetchOptions): Promise<Fetched> {
    this.requireOnline(file);
    return new Download(source, file, this.cache, this.access, options).run();
  }

  private requireOnline(file: HubFile): void {
    if (!this.offline) return;
    throw new RetoolError('service', `${nameOf(file)} has not been fetched yet.`, {
      hint: "Fetch it by 'retool fetch', in VS Code by 'Check Data Sets' in a trusted folder.",
    });
  }

  private pathInFolder(folder: string, { repository, path }: HubFile): string {
    return join(folder, nameOfRepository(repository), path);
  }
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false;
