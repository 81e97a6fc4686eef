import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RetoolError } from '../../lib/errors';
import type { Engine } from '../engine';
import { CheckpointStore } from './checkpointStore';
import { Futures } from './futures';
import { toListener } from './http';
import { listingRoutes } from './listingRoutes';
import { Registry } from './registry';
import type { Context } from './routes';
import { samplingRoutes } from './samplingRoutes';
import { sessionRoutes } from './sessionRoutes';
import { trainingRoutes } from './trainingRoutes';

/** The name under which the local trainer offers its model. */
export const localBaseModel = 'retool/local';

export interface ServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** Folder of the checkpoints. Made when it is missing. */
  readonly directory: string;
  /** Key that clients send as `X-API-Key`. */
  readonly key: string;
  /** Seconds without a heartbeat or a request after which a session ends. Default: never. */
  readonly sessionSeconds?: number;
  /** How long `retrieve_future` waits for a result, seconds. Default 30. */
  readonly holdSeconds?: number;
}

export interface RunningServer {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly key: string;
  /** Lets checkpoints that are being written end, then hangs up. The engine is the caller's. */
  close(): Promise<void>;
}

/** Longer than a client keeps an idle connection, so that it is never the server that hangs up first. */
const keepAliveMilliseconds = 120_000;

/**
 * Serves an engine over the Tinker protocol, JSON form, on 127.0.0.1.
 *
 * @throws RetoolError `service` when the port is in use, `disk` when the folder cannot be used.
 */
export async function startServer(engine: Engine, options: ServerOptions): Promise<RunningServer> {
  // Weights, two moments of the optimizer, and a header.
  const checkpointBytes = 3 * 4 * engine.parameters + 65_536;
  const store = await CheckpointStore.open(options.directory, engine.shape, checkpointBytes);
  const { key } = options;
  const futures = new Futures();
  const registry = new Registry(engine, futures, options.sessionSeconds);
  const holdMilliseconds = (options.holdSeconds ?? 30) * 1000;
  const context: Context = { engine, store, futures, registry, baseModel: localBaseModel, holdMilliseconds };
  const routes = {
    ...sessionRoutes(context),
    ...trainingRoutes(context),
    ...samplingRoutes(context),
    ...listingRoutes(context),
  };
  const server = createServer(
    { keepAliveTimeout: keepAliveMilliseconds, noDelay: true, requestTimeout: 0 },
    toListener(routes, key),
  );
  const close = async () => {
    registry.dispose();
    futures.dispose();
    await store.idle();
    server.close();
    server.closeAllConnections();
  };
  try {
    await listen(server, options.port);
  } catch (error) {
    await close();
    throw error;
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key, close };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        const hint = 'Choose another with --port, or 0 for any free one.';
        reject(new RetoolError('service', `Port ${port} on 127.0.0.1 is in use.`, { hint, cause: error }));
      } else if (error.code === 'EACCES') {
        const hint = 'Choose one from 1024 up with --port, or 0 for any free one.';
        reject(new RetoolError('service', `Port ${port} on 127.0.0.1 is not allowed.`, { hint, cause: error }));
      } else reject(RetoolError.from('service', `Listening on 127.0.0.1:${port}`, error));
    });
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
