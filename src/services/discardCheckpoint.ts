import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import type { Connection } from './connection';
import { StatusError } from './serviceHttp';

/**
 * Deletes a checkpoint. One that is missing already is fine.
 *
 * @param path `tinker://RUN/weights/NAME` or of `sampler_weights`.
 */
export async function discardCheckpoint({ http, lifetime }: Connection, path: string): Promise<void> {
  const [, run, checkpoint] = /^\w+:\/\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (!run || !checkpoint) throw new RetoolError('data', `${path} is not the path of a checkpoint.`);
  const where = `/api/v1/training_runs/${encodeURIComponent(run)}/checkpoints/${checkpoint}`;
  await http.call('DELETE', where, undefined, z.unknown(), lifetime).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.status !== 404) throw error;
  });
}
