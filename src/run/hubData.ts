import { resolve } from 'node:path';
import { Hub } from '../hub/hub';
import { isHubName, parseDataName } from '../hub/hubName';
import type { FetchOptions } from '../hub/hubWait';
import type { Experiment } from '../schema/experiment';
import { namedFiles } from './dataFiles';
import { readExperiment } from './experimentFile';

/** The path of a file that an experiment names, whether it lies on a disk or was fetched from a hub. */
export type Locate = (name: string) => string;

export interface HubAccess extends FetchOptions {
  /** Default: as the environment says. */
  readonly hub?: Hub | undefined;
}

/**
 * Fetches what an experiment names of a hub, where the cache has it not.
 *
 * @param folder that paths in the experiment are relative to.
 * @param expected SHA-256 that files must have, by their name; default: the experiment's pins.
 * @throws RetoolError `data` naming the file that is missing or has another hash; `service` where the hub gives none.
 */
export async function locateFiles(
  experiment: Experiment,
  folder: string,
  { hub, ...options }: HubAccess = {},
  expected: Readonly<Record<string, string>> = experiment.pins ?? {},
): Promise<Locate> {
  const names = namedFiles(experiment).map(({ path }) => path);
  const places = new Map<string, string>();
  for (const name of names.filter(isHubName)) {
    places.set(name, (await (hub ?? new Hub()).get(parseDataName(name), expected[name], options)).path);
  }
  return (name) => places.get(name) ?? resolve(folder, name);
}

/** The path of a data file that a person names by itself. */
export async function locateFile(name: string, { hub, ...options }: HubAccess = {}): Promise<string> {
  return isHubName(name) ? (await (hub ?? new Hub()).get(parseDataName(name), undefined, options)).path : name;
}

/** A file that an experiment names of a hub. */
export interface HubDataFile {
  readonly name: string;
  readonly sha256: string;
  readonly isPinned: boolean;
}

/**
 * Fetches what an experiment file names of a hub.
 *
 * @param again asks the hub for what is not pinned, whatever the cache has.
 */
export async function fetchExperiment(path: string, access: HubAccess, again = false): Promise<HubDataFile[]> {
  const experiment = await readExperiment(path);
  const { hub = new Hub(), ...options } = access;
  const found: HubDataFile[] = [];
  for (const name of new Set(namedFiles(experiment).map((file) => file.path))) {
    if (!isHubName(name)) continue;
    const pin = experiment.pins?.[name];
    const file = parseDataName(name);
    const fresh = again && pin === undefined;
    const { sha256 } = await (fresh ? hub.fetch(file, options) : hub.get(file, pin, options));
    found.push({ name, sha256, isPinned: pin !== undefined });
  }
  return found;
}

/** What an experiment file names of a hub and the cache has not. Asks nobody. */
export async function unfetched(path: string, hub: Hub): Promise<string[]> {
  const experiment = await readExperiment(path);
  const names = namedFiles(experiment)
    .map(({ path }) => path)
    .filter(isHubName);
  const there = await Promise.all(names.map((name) => hub.find(parseDataName(name), experiment.pins?.[name])));
  return names.filter((_, i) => there[i] === undefined);
}
