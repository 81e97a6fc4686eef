import type { Experiment } from '../schema/experiment';
import { type LocalService, startLocalService } from './localService';
import { connectServedTrainer } from './servedTrainer';

interface TrainerChoice {
  readonly service: Experiment['service'];
  /** The built `trainer.js`, for a trainer of one's own. */
  readonly script: string;
  /** Of the checkpoints of a trainer of one's own. */
  readonly directory: string;
  /** Of a trainer that runs already. */
  readonly key: string | undefined;
}

/** The trainer of an experiment: the one at `service.url`, or one that is started. @throws RetoolError of either. */
export function openLocalService(
  { service, script, directory, key }: TrainerChoice,
  signal: AbortSignal,
): Promise<LocalService> {
  const { url } = service;
  return url === undefined
    ? startLocalService({ script, directory, shape: service, threads: service.threads, port: 0 }, signal)
    : connectServedTrainer({ url, key, shape: service }, signal);
}
