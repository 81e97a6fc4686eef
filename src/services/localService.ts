import type { RetoolError } from '../lib/errors';
import type { Disposable, Event } from '../lib/lifecycle';
import type { KernelKind } from '../schema/trainerProcess';
import { type LocalTrainerOptions, startLocalTrainer } from './localTrainer';
import { localProfile } from './profile';
import { TinkerClient } from './tinkerClient';

/** The local trainer and a session on it. */
export interface LocalService extends Disposable {
  readonly client: TinkerClient;
  readonly pid: number;
  readonly kernels: KernelKind;
  /** The trainer ended by itself; calls in flight have rejected with the same error. */
  readonly onDidFail: Event<RetoolError>;
  /** Resolves when the trainer's process is gone. */
  readonly ended: Promise<void>;
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
    return { client, pid, kernels, onDidFail, ended, dispose };
  } catch (error) {
    trainer.dispose();
    throw error;
  }
}
