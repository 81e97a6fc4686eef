import { RetoolError } from '../lib/errors';

/** A repository of a hub, at one revision. */
export interface Repository {
  readonly kind: 'model' | 'dataset';
  /** `OWNER/NAME`. */
  readonly id: string;
  /** A branch, a tag or a commit, with its slashes; undefined for what the hub shows first. */
  readonly revision: string | undefined;
}

/** One file of a repository. */
export interface HubFile {
  readonly repository: Repository;
  /** Below the repository, with slashes; empty for the one data file that it has. */
  readonly path: string;
}

const scheme = 'hub:';

/** True for what stands for a file of a hub's data set where a path may stand. */
export const isHubName = (name: string): boolean => name.startsWith(scheme);

const dataForm = `${scheme}OWNER/NAME/PATH, with @REVISION behind NAME, and without PATH where there is one data file`;

/** Reads `hub:OWNER/NAME[@REVISION][/PATH]`. @throws RetoolError `config` for what could leave its repository's folder. */
export function parseDataName(name: string): HubFile {
  const why = dataNameFault(name);
  if (why !== undefined) {
    throw new RetoolError('config', `${quoted(name)} names no file of a hub: ${why}.`, { hint: `Write ${dataForm}.` });
  }
  const [owner, rest, ...path] = name.slice(scheme.length).split('/') as [string, string, ...string[]];
  return { repository: repositoryIn('dataset', owner, rest), path: path.join('/') };
}

/** Why a name is no `hub:OWNER/NAME[@REVISION][/PATH]`, or undefined where it is one. */
export function dataNameFault(name: string): string | undefined {
  const [owner = '', rest = '', ...path] = name.slice(scheme.length).split('/');
  const half = halfRevision(name);
  if (half !== undefined) return half;
  if (!isHubName(name) || rest === '') return `it has not the form ${dataForm}`;
  return repositoryFault(owner, rest) ?? path.map(segmentFault).find(Boolean);
}

/** Why the path of a name is a part of its revision, or undefined. Git calls what it refers to `refs/…`. */
function halfRevision(name: string): string | undefined {
  const slashed = /^[^/]+\/[^/@]+@(refs(?:\/[^/]*){1,2})/.exec(name)?.[1];
  if (slashed === undefined) return undefined;
  return `the slashes of a revision are written %2F, as in @${slashed.replaceAll('/', '%2F')}`;
}

/** Reads `OWNER/NAME[@REVISION]`; undefined for what has not that form. @throws RetoolError `config` for half a revision. */
export function parseModelName(name: string): Repository | undefined {
  const half = halfRevision(name);
  if (half !== undefined) throw new RetoolError('config', `${quoted(name)} names no model of a hub: ${half}.`);
  const [owner = '', rest = '', ...more] = name.split('/');
  if (more.length > 0 || repositoryFault(owner, rest) !== undefined) return undefined;
  return repositoryIn('model', owner, rest);
}

/** As a person writes it. */
export function nameOf({ repository, path }: HubFile): string {
  return `${repository.kind === 'dataset' ? scheme : ''}${nameOfRepository(repository)}${path && `/${path}`}`;
}

export const nameOfRepository = ({ id, revision }: Repository): string =>
  revision === undefined ? id : `${id}@${revision.replaceAll('/', '%2F')}`;

function repositoryIn(kind: Repository['kind'], owner: string, rest: string): Repository {
  const [name, revision] = rest.split('@');
  return { kind, id: `${owner}/${name}`, revision: revision?.replaceAll(/%2F/gi, '/') };
}

function repositoryFault(owner: string, rest: string): string | undefined {
  const [name = '', revision, ...more] = rest.split('@');
  if (more.length > 0) return 'it has two revisions';
  for (const part of [owner, name, ...(revision?.split(/%2F/i) ?? [])]) {
    if (!/^\w[\w.-]*$/.test(part)) return `${quoted(part)} is no name of an owner, a repository or a revision`;
    const fault = segmentFault(part);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Names of devices on Windows, whatever follows a dot. */
const device = /^(con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(\.|$)/i;

/** What keeps a name from being one file or folder on every system, in the folder that it is put in. */
function segmentFault(segment: string): string | undefined {
  if (segment === '') return 'a part of its path is empty';
  if (/^\.+$/.test(segment)) return `its path has ${quoted(segment)}`;
  if (/[\p{Cc}\\:*?"<>|#%]/u.test(segment))
    return `${quoted(segment)} has a sign that no file name may have everywhere`;
  if (/^\s|[\s.]$/.test(segment)) return `${quoted(segment)} begins or ends with a space or ends with a dot`;
  if (device.test(segment)) return `${quoted(segment)} is a device on Windows`;
  return Buffer.byteLength(segment) > 200 ? 'a part of its path is too long' : undefined;
}

const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
