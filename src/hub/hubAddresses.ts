import { HuggingFaceTree, ModelScopeFiles } from '../schema/hub';
import type { HubFile, Repository } from './hubName';
import type { HubServer } from './hubSource';

/** A file in the list of a repository. */
export interface ListedFile {
  readonly path: string;
  readonly sha256?: string | undefined;
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** The address of a file. */
export function fileAddress({ kind, url }: HubServer, { repository, path }: HubFile): URL {
  const { id, kind: of, revision } = repository;
  if (kind === 'gitHub') return new URL(`${url}/${id}/${revision}/${encoded(path)}`);
  if (kind === 'huggingFace') {
    const home = of === 'dataset' ? `${url}/datasets` : url;
    return new URL(`${home}/${id}/resolve/${encodeURIComponent(revision ?? 'main')}/${encoded(path)}`);
  }
  return new URL(`${url}/api/v1/${of}s/${id}/repo?Revision=${revisionOf(revision)}&FilePath=${encoded(path)}`);
}

/** The address of the list of a repository's files, those of a folder where ModelScope is asked. */
export function listAddress({ kind, url }: HubServer, { id, kind: of, revision }: Repository, folder: string): URL {
  if (kind === 'huggingFace') {
    return new URL(`${url}/api/${of}s/${id}/tree/${encodeURIComponent(revision ?? 'main')}?recursive=true`);
  }
  const home = `${url}/api/v1/${of}s/${id}/repo`;
  const rest = `Revision=${revisionOf(revision)}&Root=${encoded(folder)}`;
  return new URL(of === 'dataset' ? `${home}/tree?${rest}&Recursive=True&PageSize=200` : `${home}/files?${rest}`);
}

const revisionOf = (revision: string | undefined): string => encodeURIComponent(revision ?? 'master');

/** The page where a person reads of a repository and asks for access. */
export function pageAddress({ kind, url }: HubServer, { id, kind: of }: Repository): string {
  if (kind === 'gitHub') return `https://github.com/${id}`;
  if (kind === 'modelScope') return `${url}/${of}s/${id}`;
  return of === 'dataset' ? `${url}/datasets/${id}` : `${url}/${id}`;
}

/** The files of a list, or none where it is of another form. */
export function filesIn(kind: HubServer['kind'], reply: unknown): ListedFile[] {
  if (kind === 'huggingFace') {
    const { data = [] } = HuggingFaceTree.safeParse(reply);
    return data.filter(({ type }) => type === 'file').map(({ path }) => ({ path }));
  }
  const files = ModelScopeFiles.safeParse(reply).data?.Data.Files ?? [];
  return files
    .filter(({ Type: type }) => type !== 'tree')
    .map(({ Path: path, Sha256: hash }) => ({
      path,
      sha256: /^[0-9a-f]{64}$/i.test(hash ?? '') ? hash?.toLowerCase() : undefined,
    }));
}
