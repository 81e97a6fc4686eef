import { randomBytes } from 'node:crypto';
import { RetoolError } from '../../lib/errors';
import type { Engine } from '../engine';
import { CompletionLog } from './completionLog';
import { Fault } from './fault';
import type { Futures } from './futures';
import { ModelOrder } from './modelOrder';

export interface Session {
  readonly id: string;
  readonly models: Set<Model>;
  readonly samplers: Set<Sampler>;
  /** Requests that are being worked on. */
  busy: number;
  /** Milliseconds of the clock. */
  lastSeen: number;
}

export interface Model {
  readonly id: string;
  readonly session: Session;
  readonly order: ModelOrder;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** Names that queued saves will write. */
  readonly reserved: Set<string>;
  /** ISO 8601. */
  lastRequest: string;
}

export interface Sampler {
  readonly id: string;
  readonly session: Session;
  readonly snapshot: string;
  readonly modelPath: string | null;
  readonly completions: CompletionLog;
  /** Requests that are being sampled; the snapshot outlives the sampler until they end. */
  busy: number;
}

/** Samplers of one session that live at once; the oldest goes first. */
const maximumSamplers = 16;
const sweepMilliseconds = 5_000;

/** Sessions and what they own. */
export class Registry {
  private readonly engine: Engine;
  private readonly futures: Futures;
  private readonly sessions = new Map<string, Session>();
  private readonly models = new Map<string, Model>();
  private readonly samplers = new Map<string, Sampler>();
  private readonly sweep: NodeJS.Timeout | undefined;

  /** @param sessionSeconds without a sign of life after which a session ends. Undefined: never. */
  constructor(engine: Engine, futures: Futures, sessionSeconds: number | undefined) {
    this.engine = engine;
    this.futures = futures;
    if (sessionSeconds === undefined) return;
    const expire = () => this.expire(performance.now() - sessionSeconds * 1000);
    this.sweep = setInterval(expire, Math.min(sweepMilliseconds, sessionSeconds * 500)).unref();
  }

  createSession(): Session {
    const id = `s${randomBytes(8).toString('hex')}`;
    const session = {
      id,
      models: new Set<Model>(),
      samplers: new Set<Sampler>(),
      busy: 0,
      lastSeen: performance.now(),
    };
    this.sessions.set(id, session);
    return session;
  }

  /** @throws Fault 404 */
  session(id: string): Session {
    const session = this.sessions.get(id);
    if (!session) throw new Fault(404, `There is no session ${id}: it has expired, or the server was started anew.`);
    session.lastSeen = performance.now();
    return session;
  }

  sessionIds(): string[] {
    return [...this.sessions.keys()];
  }

  allModels(): Model[] {
    return [...this.models.values()];
  }

  /** Counts `work` as life of the session. */
  async working<T>(session: Session, work: () => Promise<T>): Promise<T> {
    session.busy += 1;
    try {
      return await work();
    } finally {
      session.busy -= 1;
      session.lastSeen = performance.now();
    }
  }

  async createModel(session: Session, seq: number, seed: number, metadata: Model['metadata']): Promise<Model> {
    const id = `${session.id}-train-${seq}`;
    if (this.models.has(id)) throw new Fault(409, `model_seq_id ${seq} was used by another model of this session.`);
    const order = new ModelOrder(this.futures);
    const model = { id, session, order, metadata, reserved: new Set<string>(), lastRequest: new Date().toISOString() };
    this.models.set(id, model);
    session.models.add(model);
    try {
      await this.engine.createModel(id, seed);
    } catch (error) {
      this.models.delete(id);
      session.models.delete(model);
      throw error;
    }
    return model;
  }

  find(modelId: string): Model | undefined {
    return this.models.get(modelId);
  }

  /** @throws Fault 404 */
  model(id: string): Model {
    const model = this.models.get(id);
    if (!model) throw new Fault(404, `There is no model ${id}: it was unloaded, or the server was started anew.`);
    model.session.lastSeen = performance.now();
    return model;
  }

  async unloadModel(model: Model): Promise<void> {
    this.models.delete(model.id);
    model.session.models.delete(model);
    await model.order.close(new Fault(404, `The model ${model.id} was unloaded.`));
    await this.engine.deleteModel(model.id);
  }

  /** Takes over a snapshot of the engine. */
  async addSampler(session: Session, seq: number, snapshot: string, modelPath: string | null): Promise<Sampler> {
    const id = `${session.id}-sample-${seq}`;
    if (this.samplers.has(id)) {
      await this.engine.releaseSnapshot(snapshot);
      throw new Fault(409, `sampling_session_seq_id ${seq} was used by another sampler of this session.`);
    }
    const sampler = { id, session, snapshot, modelPath, completions: new CompletionLog(this.futures), busy: 0 };
    this.samplers.set(id, sampler);
    session.samplers.add(sampler);
    const [oldest] = session.samplers;
    if (oldest && session.samplers.size > maximumSamplers) await this.releaseSampler(oldest);
    return sampler;
  }

  /** @throws Fault 404 */
  sampler(id: string): Sampler {
    const sampler = this.samplers.get(id);
    if (!sampler) {
      throw new Fault(404, `There is no sampler ${id}: it was released, or made way for newer ones; make a new one.`);
    }
    sampler.session.lastSeen = performance.now();
    return sampler;
  }

  async releaseSampler(sampler: Sampler): Promise<void> {
    if (!this.samplers.delete(sampler.id)) return;
    sampler.session.samplers.delete(sampler);
    if (sampler.busy === 0) await this.engine.releaseSnapshot(sampler.snapshot);
  }

  /** Keeps the sampler's snapshot and its session while `work` goes on. */
  async sampling<T>(sampler: Sampler, work: () => Promise<T>): Promise<T> {
    sampler.busy += 1;
    try {
      return await this.working(sampler.session, work);
    } finally {
      sampler.busy -= 1;
      if (sampler.busy === 0 && !this.samplers.has(sampler.id)) await this.engine.releaseSnapshot(sampler.snapshot);
    }
  }

  /** A sampler of the weights that a model is born with. */
  async freshSnapshot(seed: number): Promise<string> {
    const id = `base-${randomBytes(4).toString('hex')}`;
    await this.engine.createModel(id, seed);
    try {
      return await this.engine.snapshot(id);
    } finally {
      await this.engine.deleteModel(id);
    }
  }

  dispose(): void {
    clearInterval(this.sweep);
  }

  private expire(before: number): void {
    for (const session of this.sessions.values()) {
      if (session.busy > 0 || session.lastSeen > before) continue;
      this.sessions.delete(session.id);
      const ends = [
        ...[...session.samplers].map((sampler) => this.releaseSampler(sampler)),
        ...[...session.models].map((model) => this.unloadModel(model)),
      ];
      Promise.all(ends).catch((error: unknown) => {
        throw RetoolError.from('bug', `Ending the session ${session.id}`, error);
      });
    }
  }
}
