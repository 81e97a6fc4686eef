import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import type { Patience } from '../../src/lib/patience';
import { localProfile, type ServiceProfile } from '../../src/services/profile';
import { TinkerClient } from '../../src/services/tinkerClient';
import { type RunningServer, type ServerOptions, startServer } from '../../src/trainer/server/server';
import { ScriptedEngine } from './scriptedEngine';

export const testKey = 'tml-test';

/** Never waits, so that retries take no time. */
export const noPatience: Patience = { sleep: async () => undefined, random: () => 0 };

/** A server over a scripted engine, and clients of it. */
export class ScriptedServer {
  readonly engine: ScriptedEngine;
  readonly server: RunningServer;
  readonly directory: string;
  private readonly clients: TinkerClient[] = [];

  private constructor(engine: ScriptedEngine, server: RunningServer, directory: string) {
    this.engine = engine;
    this.server = server;
    this.directory = directory;
  }

  static async start(options: Partial<ServerOptions> = {}): Promise<ScriptedServer> {
    const engine = new ScriptedEngine();
    const directory = options.directory ?? (await mkdtemp(join(tmpdir(), 'retool-server-')));
    const server = await startServer(engine, { port: 0, key: testKey, ...options, directory });
    return new ScriptedServer(engine, server, directory);
  }

  async connect(profile: Partial<ServiceProfile> = {}): Promise<TinkerClient> {
    const client = await TinkerClient.connect(
      { url: this.server.url, key: testKey, profile: { ...localProfile, ...profile }, patience: noPatience },
      new AbortController().signal,
    );
    this.clients.push(client);
    return client;
  }

  /** One request as it is, without the client. */
  async send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const reply = await request(this.server.url + path, {
      method,
      headers: { 'x-api-key': testKey, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: reply.statusCode, body: (await reply.body.json()) as Record<string, unknown> };
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}) {
    return this.send('POST', `/api/v1/${path}`, body, headers);
  }

  /** The result of a two-step call. */
  async finish(path: string, body: unknown): Promise<Record<string, unknown>> {
    const { body: accepted } = await this.post(path, body);
    return (await this.post('retrieve_future', { request_id: accepted.request_id })).body;
  }

  /** @returns a fresh model's id and its session's. */
  async createModel(seed = 1): Promise<{ modelId: string; sessionId: string }> {
    const session = await this.post('create_session', { tags: [], sdk_version: '0.18.0', type: 'create_session' });
    const sessionId = session.body.session_id as string;
    const model = await this.finish('create_model', {
      session_id: sessionId,
      model_seq_id: 0,
      base_model: 'retool/local',
      lora_config: { rank: 8, seed },
    });
    return { modelId: model.model_id as string, sessionId };
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.dispose();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** The body of a pass over one row of three tokens. */
export function lossInput(overrides: object = {}, inputs: object = {}): object {
  const tensor = (data: number[], dtype = 'float32') => ({ data, dtype, shape: [data.length] });
  return {
    data: [
      {
        model_input: { chunks: [{ type: 'encoded_text', tokens: [11, 12, 13] }] },
        loss_fn_inputs: { target_tokens: tensor([12, 13, 14], 'int64'), weights: tensor([0, 1, 1]), ...inputs },
      },
    ],
    loss_fn: 'cross_entropy',
    ...overrides,
  };
}
