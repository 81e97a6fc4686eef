import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { RetoolError } from '../lib/errors';
import type { ModelShape } from './engine';
import { localVocabulary } from './vocabulary';

/** What the trainer's process is started with. */
export interface TrainerArguments {
  readonly shape: Omit<ModelShape, 'vocabulary'>;
  /** 0 takes 2 where there are 2 cores. */
  readonly threads: number;
  /** Folder of the checkpoints. */
  readonly directory: string;
  /** 0 takes any free port. */
  readonly port: number;
}

/** Name of the environment variable that holds the key. Arguments can be read by others on the machine. */
export const keyVariable = 'RETOOL_TRAINER_KEY';

/** A key for one start of the trainer. Tinker's clients accept what begins so. */
export function randomKey(): string {
  return `tml-${randomBytes(24).toString('hex')}`;
}

export function toArguments({ shape, threads, directory, port }: TrainerArguments): string[] {
  return [JSON.stringify({ shape, threads, directory, port } satisfies TrainerArguments)];
}

/** @throws RetoolError `usage` when the process was not started by `toArguments`. */
export function fromArguments(argv: readonly string[]): TrainerArguments {
  try {
    return JSON.parse(argv[0] ?? '') as TrainerArguments;
  } catch (error) {
    throw new RetoolError('usage', 'The trainer is started by retool serve or retool train, not by itself.', {
      cause: error,
    });
  }
}

export function toModelShape({ width, layers, heads, context }: TrainerArguments['shape']): ModelShape {
  return { width, layers, heads, context, vocabulary: localVocabulary.vocabularySize };
}

export function threadCount(threads: number): number {
  return threads > 0 ? threads : Math.min(2, availableParallelism());
}
