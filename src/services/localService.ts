import type { RetoolError } from '../lib/errors';
import type { Disposable, Event } from '../lib/lifecycle';
import { type LocalTrainerOptions, startLocalTrainer } from './localTrainer';
import { localProfile } from './profile';
import { TinkerClient } from './tinkerClient';

/** The local trainer and a session on it. */
export interface LocalService extends Disposable {
  readonly client: TinkerClient;
  readonly pid: number;
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
    const { url, key } = trainer;
    const dead = new Promise<never>((_resolve, reject) => trainer.onDidFail(reject));
    const client = await Promise.race([TinkerClient.connect({ url, key, profile: localProfile }, signal), dead]);
    trainer.onDidFail((error) => client.dispose(error));
    const dispose = () => {
      client.dispose();
      trainer.dispose();
    };
    return { client, pid: trainer.pid, onDidFail: trainer.onDidFail, ended: trainer.ended, dispose };
  } catch (error) {
    trainer.dispose();
    throw error;
  }
}
