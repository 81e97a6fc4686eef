import { join } from 'node:path';
import { Hub } from '../hub/hub';
import { type HubFile, nameOf, nameOfRepository } from '../hub/hubName';
import { gitHub, type HubSource, huggingFace } from '../hub/hubSource';
import type { FetchOptions } from '../hub/hubWait';
import { exists } from '../journal/runFolder';
import { writeFileAtomic } from '../lib/atomicFile';
import { isAbort, RetoolError } from '../lib/errors';
import { makeFolder } from '../lib/makeFolder';
import type { Problem } from '../schema/trajectory';
import { digestOf } from './evaluationProtocol';
import type { HubAccess } from './hubData';
import { type NamedSet, recognize } from './namedSets';
import { readProblems } from './readProblems';

/** A named set that cannot be had: its file is asked for. */
export class SetNotFetched extends RetoolError {
  readonly set: NamedSet;

  constructor(set: NamedSet, why: string, options: ErrorOptions) {
    super('service', `${set.name} has not been fetched yet, and cannot be now: ${why}`, {
      ...options,
      hint: `Name a file of its ${set.problems} problems: --dataset ${set.name}=FILE, in VS Code 'Choose a File…'; it is remembered.`,
    });
    this.set = set;
  }
}

interface Place {
  readonly hub: Hub;
  readonly file: HubFile;
  readonly sha256: string | undefined;
}

/**
 * The problems of a named set: those of the cache, or else fetched, and kept there.
 *
 * @returns `told` where they have just come: a word on where from, and whose they are.
 * @throws SetNotFetched; RetoolError `cancelled` by the signal.
 */
export async function namedProblems(
  set: NamedSet,
  access: HubAccess,
): Promise<{ readonly problems: Problem[]; readonly told?: string }> {
  const { hub = new Hub(), ...options } = access;
  const kept = await keptProblems(set, hub);
  if (kept) return { problems: kept };
  const faults: RetoolError[] = [];
  for (const place of placesOf(set, hub)) {
    try {
      const problems = await fetched(set, place, options);
      await keepProblems(set, problems, hub);
      return { problems, told: `${set.name} was fetched from ${shownPlace(place)}; ${set.origin}.` };
    } catch (error) {
      if (isAbort(error) || !(error instanceof RetoolError)) throw error;
      faults.push(error);
    }
  }
  throw new SetNotFetched(set, faults.map(({ message }) => message).join(' '), { cause: faults[0] });
}

/** A hub of the user's own comes first: there may be no way to any other. */
function placesOf(set: NamedSet, hub: Hub): Place[] {
  const own = { hub, file: set.hub, sha256: undefined };
  const pinned = { hub: hub.source.kind === 'gitHub' ? hub : hub.from(gitHub), file: set.source, sha256: set.sha256 };
  return isHuggingFace(hub.source) ? [pinned, own] : [own, pinned];
}

const isHuggingFace = (source: HubSource): boolean => source.kind !== 'folder' && source.url === huggingFace;

async function fetched(set: NamedSet, { hub, file, sha256 }: Place, options: FetchOptions): Promise<Problem[]> {
  const { path } = await hub.get(file, sha256, options);
  const problems = await readProblems(path);
  if (recognize(problems)?.set === set && digestOf(problems) === set.digest) return problems;
  throw new RetoolError('data', `${nameOf(file)} ${whyOther(set, problems)}.`);
}

/** Why problems are not those of a set. */
export function whyOther(set: NamedSet, problems: readonly Problem[]): string {
  if (problems.length !== set.problems) return `has ${problems.length} problems, and ${set.name} has ${set.problems}`;
  if (recognize(problems)?.set === set) return `asks the problems of ${set.name} in other words`;
  return `has other problems or another order than ${set.name}`;
}

const shownPlace = ({ hub, file }: Place): string =>
  hub.source.kind === 'gitHub' ? `github.com/${nameOfRepository(file.repository)}/${file.path}` : nameOf(file);

const keptFile = (set: NamedSet, hub: Hub): string => join(hub.folder, 'sets', `${set.name}.jsonl`);

async function keptProblems(set: NamedSet, hub: Hub): Promise<Problem[] | undefined> {
  const path = keptFile(set, hub);
  if (!(await exists(path))) return undefined;
  // What is damaged is fetched again.
  const problems = await readProblems(path).catch(() => []);
  return digestOf(problems) === set.digest ? problems : undefined;
}

/** Remembers the problems of a named set, so that it is there the next time without its source. */
export async function keepProblems(set: NamedSet, problems: readonly Problem[], hub: Hub): Promise<void> {
  const path = keptFile(set, hub);
  const lines = problems.map(({ question, answer }, index) => JSON.stringify({ id: String(index), question, answer }));
  try {
    await makeFolder(join(path, '..'));
    await writeFileAtomic(path, `${lines.join('\n')}\n`);
  } catch (error) {
    throw RetoolError.from('disk', `${set.name} cannot be kept in ${path}`, error);
  }
}
