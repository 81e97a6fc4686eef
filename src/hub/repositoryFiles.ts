import { readdir } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { RetoolError } from '../lib/errors';
import { isPassing } from '../lib/patience';
import { filesIn, type ListedFile, listAddress } from './hubAddresses';
import { ask, type HubAnswer } from './hubHttp';
import { type HubFile, nameOf, type Repository } from './hubName';
import { type HubServer, type HubSource, sourceName } from './hubSource';
import { type HubClient, tellingSilence, tries, waitForHub } from './hubWait';
import { NoSuchFile, noHub, refusal, unreachable } from './refusal';

/**
 * The files of a repository. GitHub is not asked: it has none.
 *
 * @param folder of those to list, where ModelScope is asked; empty for all.
 * @throws RetoolError where the hub does not tell them.
 */
export async function repositoryFiles(
  server: HubServer,
  repository: Repository,
  folder: string,
  access: HubClient,
): Promise<ListedFile[]> {
  if (server.kind === 'gitHub') return [];
  const { token, signal } = access;
  const address = listAddress(server, repository, folder);
  for (let attempt = 0; ; attempt++) {
    let answer: HubAnswer | undefined;
    let error: unknown;
    try {
      const asking = ask(server, address, token, { accept: 'application/json' }, signal);
      const far = { name: repository.id, received: 0 };
      answer = await tellingSilence(asking, server, far, attempt, access.onFetch);
      if (answer.status === 200) return filesIn(server.kind, parsed(await answer.body.text(), server));
      await answer.body.dump();
      error = refusal(server, { repository, path: '' }, answer, token !== undefined, []);
      if (!isPassing(answer.status)) throw error;
    } catch (caught) {
      signal.throwIfAborted();
      if (answer || caught instanceof RetoolError) throw caught;
      error = unreachable(server, caught);
    }
    if (attempt + 1 >= tries) throw error;
    await waitForHub(server, { name: nameOf({ repository, path: '' }), received: 0 }, attempt, answer?.headers, access);
  }
}

function parsed(text: string, server: HubServer): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw noHub(server, 'its list of files is no JSON');
  }
}

/** The files of a repository in a hub folder; none where there is no such folder. */
export async function folderFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/'));
}

/** The one data file among those of a repository. @throws NoSuchFile where there is none, or more. */
export function onlyDataFile(source: HubSource, repository: Repository, paths: readonly string[]): HubFile {
  const data = paths.filter((path) => ['.jsonl', '.parquet'].includes(extname(path).toLowerCase()));
  const [path] = data;
  if (path !== undefined && data.length === 1) return { repository, path };
  const name = nameOf({ repository, path: '' });
  const where = sourceName(source);
  if (path === undefined) {
    throw new NoSuchFile('data', `${where} has no JSONL or Parquet file in ${name}.`, {
      hint: 'Correct its name, or name a file of it: hub:OWNER/NAME/PATH.',
    });
  }
  const named = data.slice(0, 8).map((each) => `${name}/${each}`);
  throw new NoSuchFile('data', `${name} has ${data.length} data files on ${where}, and is the name of none of them.`, {
    hint: `Name one: ${named.join(', ')}${data.length > named.length ? ` or ${data.length - named.length} more` : ''}.`,
  });
}
