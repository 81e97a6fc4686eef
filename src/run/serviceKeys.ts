import type { Experiment } from '../schema/experiment';
import { requireServedTrainer, serviceKeyVariable } from '../services/servedTrainer';

/** Looks up the key of the trainer at an address. */
export type ServiceKeys = (url: string) => Promise<string | undefined>;

/** The key of the trainer at `url`: the environment's comes first. */
export const serviceKeyOf = async (url: string | undefined, keys: ServiceKeys | undefined) =>
  url === undefined ? undefined : process.env[serviceKeyVariable] || (await keys?.(url));

/**
 * Tries the trainer of an experiment that runs already, before anything is made. @returns its key.
 *
 * @throws RetoolError `service` or `config` in one sentence.
 */
export async function requireService(
  service: Experiment['service'],
  keys: ServiceKeys | undefined,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  const { url } = service;
  const key = await serviceKeyOf(url, keys);
  if (url !== undefined) await requireServedTrainer({ url, key, shape: service }, signal);
  return key;
}
