import { availableParallelism } from 'node:os';
import type { KernelKind, TrainerArguments } from '../schema/trainerProcess';
import type { EngineAssets } from './engine';
import { type RunningServer, type ServerOptions, startServer } from './server/server';
import { createEngine } from './threadedEngine';
import { localVocabulary } from './vocabulary';

/** A session without a sign of life ends after this, seconds. */
export const sessionSeconds = 300;

export interface LocalServer extends RunningServer {
  readonly kernels: KernelKind;
}

/**
 * Starts engine and server: the local trainer in this process. Closing it ends both.
 *
 * @throws RetoolError `service` when the port is in use, `config` for a shape that no model can have.
 */
export async function serve(
  { shape, threads, directory, port }: TrainerArguments,
  assets: EngineAssets,
  options: Pick<ServerOptions, 'key' | 'sessionSeconds'>,
): Promise<LocalServer> {
  const { width, layers, heads, context } = shape;
  const model = { width, layers, heads, context, vocabulary: localVocabulary.vocabularySize };
  const engine = await createEngine(model, { threads: threads || Math.min(2, availableParallelism()), assets });
  try {
    const server = await startServer(engine, { port, directory, ...options });
    const close = async () => {
      await server.close();
      engine.dispose();
    };
    return { ...server, kernels: engine.kernels, close };
  } catch (error) {
    engine.dispose();
    throw error;
  }
}
