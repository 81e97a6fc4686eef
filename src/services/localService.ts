import type { RetoolError } from '../lib/errors';
import type { Disposable, Event } from '../lib/lifecycle';
import type { KernelKind } from '../schema/trainerProcess';
import { type LocalTrainerOptions, startLocalTrainer } from './localTrainer';
import { localProfile } from './profile';
import { TinkerClient } from './tinkerClient';

/** A local trainer and a session on it. */
export interface LocalService extends Disposable {
  readonly client: TinkerClient;
  /** Undefined where the trainer is not this process's own. */
  readonly pid: number | undefined;
  /** Undefined where the trainer does not say. */
  readonly kernels: KernelKind | undefined;
  /** The trainer ended by itself; calls in flight have rejected with the same error. */
  readonly onDidFail: Event<RetoolError>;
  /** Resolves when the trainer's process is gone. */
  readonly ended: Promise<void>;
  /** Asks, after a failure, whether it is the trainer that is gone. @returns why, in a sentence. */
  whyLost(): Promise<RetoolError | undefined>;
}

/**
 * Starts the local trainer and connects to it.
 *
 * @throws RetoolError `service` when it does not start.
 */
export async function startLocalService(options: LocalTrainerOptions, signal: AbortSignal): Promise<LocalService> {
  const trainer = await startLocalTrainer(options, signal);
  try {
    const { url, key, pid, kernels, onDidFail, ended } = trainer;
    const dead = new Promise<never>((_resolve, reject) => onDidFail(reject));
    const client = await Promise.race([TinkerClient.connect({ url, key, profile: localProfile }, signal), dead]);
    onDidFail((error) => client.dispose(error));
    const dispose = () => {
      client.dispose();
      trainer.dispose();
    };
    return { client, pid, kernels, onDidFail, ended, whyLost: async () => undefined, dispose };
  } catch (error) {
    trainer.dispose();
    throw error;
  }
}
