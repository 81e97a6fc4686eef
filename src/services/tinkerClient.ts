import { setMaxListeners } from 'node:events';
import { gate } from '../lib/concurrency';
import { RetoolError } from '../lib/errors';
import { type Disposable, Emitter } from '../lib/lifecycle';
import { type Patience, realPatience } from '../lib/patience';
import type { LossOffers, Policy } from '../rl/ports';
import * as wire from '../schema/tinker';
import type { Connection } from './connection';
import { discardCheckpoint } from './discardCheckpoint';
import { retrieve, submit } from './future';
import { measureReduction } from './measureReduction';
import type { ServiceProfile } from './profile';
import type { Reach } from './reach';
import { ServiceHttp, StatusError } from './serviceHttp';
import { TinkerPolicy } from './tinkerPolicy';
import { TinkerTrainer } from './tinkerTrainer';
import { offersOf } from './wireDatum';

export interface ConnectOptions {
  /** Base address of the service, without `/api/v1`. */
  readonly url: string;
  readonly key?: string;
  readonly profile: ServiceProfile;
  /** Shown by the service beside the session. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly patience?: Patience;
}

export interface ModelOptions {
  /** Default: the first model that the service offers. */
  readonly baseModel?: string;
  /** LoRA rank. The local trainer trains all weights whatever it is. */
  readonly rank?: number;
  /** Of the initial weights. */
  readonly seed?: number;
}

const heartbeatMilliseconds = 10_000;
const defaultContext = 32_768;
const defaultRank = 32;
/** Connections beyond those of samples: training, heartbeat, cancellations. */
const spareConnections = 32;

/** A session on a training service that speaks the Tinker protocol. */
export class TinkerClient implements Disposable {
  /** Names of the models that can be trained. */
  readonly baseModels: readonly string[];
  private connection: Connection;
  private readonly end: AbortController;
  private readonly heartbeat: NodeJS.Timeout;
  private readonly lost = new Emitter<RetoolError>();
  /** The service no longer knows the session: models in training are gone, checkpoints are not. */
  readonly onDidLoseSession = this.lost.event;
  private nextModel = 0;

  private constructor(connection: Connection, baseModels: readonly string[], end: AbortController) {
    this.connection = connection;
    this.baseModels = baseModels;
    this.end = end;
    this.heartbeat = setInterval(() => this.beat(), heartbeatMilliseconds).unref();
  }

  /** @throws RetoolError `service` when the service cannot be reached or refuses the key. */
  static async connect(options: ConnectOptions, signal: AbortSignal): Promise<TinkerClient> {
    const { profile } = options;
    if (profile.body !== 'json' || profile.forwardVia !== 'endpoint') {
      throw new RetoolError('config', `The service ${profile.name} is not supported yet.`);
    }
    const end = new AbortController();
    setMaxListeners(0, end.signal);
    const http = new ServiceHttp({
      url: options.url,
      key: options.key,
      connections: profile.limits.samples + spareConnections,
      patience: options.patience ?? realPatience,
      lifetime: end.signal,
    });
    try {
      const version = { sdk_version: profile.sdkVersion };
      const config = await http
        .call('POST', '/api/v1/client/config', version, wire.ClientConfig, signal)
        .catch((error: unknown) => {
          // Not every service has settings to tell.
          if (error instanceof StatusError && error.status === 404) return wire.ClientConfig.parse({});
          throw error;
        });
      const capabilities = '/api/v1/get_server_capabilities';
      const { supported_models: models } = await http.call(
        'GET',
        capabilities,
        undefined,
        wire.ServerCapabilities,
        signal,
      );
      const request = { tags: ['retool'], user_metadata: options.metadata ?? null, ...version, type: 'create_session' };
      const session = await http.call('POST', '/api/v1/create_session', request, wire.CreateSessionReply, signal);
      if (session.error_message) throw new RetoolError('service', `The service says: ${session.error_message}`);
      let samplers = 0;
      const connection: Connection = {
        http,
        profile,
        // Until it is measured, nothing is converted.
        reduction: profile.reduction === 'measured' ? 'sum' : profile.reduction,
        sessionId: session.session_id,
        context: models[0]?.max_context_length ?? defaultContext,
        limits: {
          datums: Math.min(profile.limits.datums, config.fwdbwd_max_chunk_len),
          bytes: config.fwdbwd_max_chunk_bytes_count,
        },
        lifetime: end.signal,
        sampling: gate(profile.limits.samples),
        nextSampler: () => samplers++,
        onWaiting: () => undefined,
      };
      const names = models.map((model) => model.model_name).filter((name) => typeof name === 'string');
      const client = new TinkerClient(connection, names, end);
      if (profile.reduction === 'measured') await client.measure(signal);
      return client;
    } catch (error) {
      await http.destroy(new RetoolError('cancelled', 'The connection was not made.'));
      throw error;
    }
  }

  /** Whether the service answers: what it does not answer to is asked again, for minutes. */
  get reach(): Pick<Reach, 'onDidChange' | 'url'> {
    return this.connection.http.reach;
  }

  get offers(): LossOffers {
    return offersOf(this.connection.profile, this.connection.reduction);
  }

  /** Longest sequence, in tokens. */
  get context(): number {
    return this.connection.context;
  }

  /** Asks the service whether it still knows this session. @returns why not: a {@link StatusError}, or that it is away. */
  async whyLost(): Promise<RetoolError | undefined> {
    if (this.end.signal.aborted) return undefined;
    try {
      await this.heartbeatNow();
    } catch (error) {
      if (error instanceof RetoolError && (!(error instanceof StatusError) || error.status === 404)) return error;
    }
    return undefined;
  }

  async createTrainer(options: ModelOptions, signal: AbortSignal): Promise<TinkerTrainer> {
    const baseModel = options.baseModel ?? this.baseModels[0];
    if (!baseModel) throw new RetoolError('config', 'The service offers no model by itself: name one.');
    const { http, sessionId } = this.connection;
    const step = {
      path: '/api/v1/create_model',
      type: 'CreateModel',
      result: wire.CreateModelResult,
      body: {
        session_id: sessionId,
        model_seq_id: this.nextModel++,
        base_model: baseModel,
        lora_config: {
          rank: options.rank ?? defaultRank,
          ...(options.seed !== undefined && { seed: options.seed }),
          train_unembed: true,
          train_mlp: true,
          train_attn: true,
        },
        type: 'create_model',
      },
    };
    const model = await retrieve(http, step, await submit(http, step, signal), signal);
    return new TinkerTrainer(this.connection, model.model_id);
  }

  /**
   * A model that goes on from a saved state.
   *
   * @param path as `Trainer.save` gave it, to this process or an earlier one.
   * @param optimizer false takes the weights alone: the optimizer and its step count are fresh.
   * @throws RetoolError `service` where the service does not know it.
   */
  async resumeTrainer(path: string, optimizer: boolean, signal: AbortSignal): Promise<TinkerTrainer> {
    const { http } = this.connection;
    const request = { tinker_path: path };
    const where = '/api/v1/weights_info';
    const info = await http.call('POST', where, request, wire.WeightsInfoReply, signal).catch((error: unknown) => {
      if (!(error instanceof StatusError) || (error.status !== 400 && error.status !== 404)) throw error;
      throw new RetoolError(
        'service',
        `The training service does not know the checkpoint ${path}, or cannot read it.`,
        {
          hint: 'It was deleted, or belongs to a service at another address or on another folder.',
          cause: error,
        },
      );
    });
    const options = { baseModel: info.base_model, ...(info.lora_rank != null && { rank: info.lora_rank }) };
    const trainer = await this.createTrainer(options, signal);
    await trainer.load(path, optimizer);
    return trainer;
  }

  /** Whether a saved state is there and whole, as far as its head tells. */
  async canResume(path: string, signal: AbortSignal): Promise<boolean> {
    const request = { tinker_path: path };
    const where = '/api/v1/weights_info';
    try {
      await this.connection.http.call('POST', where, request, wire.WeightsInfoReply, signal, { once: true });
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }

  /** A policy of weights that were saved for sampling: `tinker://RUN/sampler_weights/NAME`. */
  async openPolicy(path: string, signal: AbortSignal): Promise<Policy> {
    const { http, sessionId } = this.connection;
    const request = {
      session_id: sessionId,
      sampling_session_seq_id: this.connection.nextSampler(),
      model_path: path,
      type: 'create_sampling_session',
    };
    const where = '/api/v1/create_sampling_session';
    const reply = await http.call('POST', where, request, wire.CreateSamplingSessionReply, signal);
    return new TinkerPolicy(this.connection, reply.sampling_session_id);
  }

  async listCheckpoints(signal: AbortSignal): Promise<wire.Checkpoint[]> {
    const { http } = this.connection;
    return (await http.call('GET', '/api/v1/checkpoints', undefined, wire.CheckpointList, signal)).checkpoints;
  }

  /** Those of one training run alone: a service may hold those of others. */
  async listCheckpointsOf(run: string, signal: AbortSignal): Promise<wire.Checkpoint[]> {
    const { http } = this.connection;
    const where = `/api/v1/training_runs/${encodeURIComponent(run)}/checkpoints`;
    return (await http.call('GET', where, undefined, wire.CheckpointList, signal)).checkpoints;
  }

  /** Deletes a saved state of any run on the service. Missing is fine. */
  async discardCheckpoint(path: string): Promise<void> {
    await discardCheckpoint(this.connection, path);
  }

  /** Hangs up: whatever is in flight rejects with `reason`. The service keeps what was saved. */
  dispose(reason: Error = new RetoolError('cancelled', 'The training service was left.')): void {
    clearInterval(this.heartbeat);
    if (this.end.signal.aborted) return;
    this.end.abort(reason);
    this.lost.dispose();
    this.connection.http.destroy(reason).catch(() => undefined);
  }

  /** What is sent while measuring is not converted. */
  private async measure(signal: AbortSignal): Promise<void> {
    try {
      const reduction = await measureReduction(() => this.createTrainer({ seed: 1 }, signal));
      this.connection = { ...this.connection, reduction };
    } catch (error) {
      this.dispose();
      throw error;
    }
  }

  private beat(): void {
    this.heartbeatNow().catch((error: unknown) => {
      if (error instanceof StatusError && error.status === 404) this.lost.fire(error);
    });
  }

  private heartbeatNow(): Promise<unknown> {
    const { http, sessionId, lifetime } = this.connection;
    const request = { session_id: sessionId, type: 'session_heartbeat' };
    const where = '/api/v1/session_heartbeat';
    return http.call('POST', where, request, wire.HeartbeatRequest.partial(), lifetime, { once: true });
  }
}
