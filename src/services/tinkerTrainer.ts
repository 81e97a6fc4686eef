import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import type { AdamParameters, Datum, Loss, LossResult, Policy, Trainer } from '../rl/ports';
import {
  CheckpointList,
  LoadWeightsResult,
  type LossInput,
  LossResultReply,
  OptimStepResult,
  SaveForSamplerResult,
  SaveWeightsResult,
} from '../schema/tinker';
import type { Connection } from './connection';
import { discardCheckpoint } from './discardCheckpoint';
import { retrieve, submit, type TwoStep } from './future';
import { finiteMetrics, mergeReplies, splitInput } from './lossChunks';
import { asSum } from './reduction';
import { RequestOrder } from './requestOrder';
import { StatusError } from './serviceHttp';
import { TinkerPolicy } from './tinkerPolicy';
import { toLossInput } from './wireDatum';

const anotherNameAttempts = 3;

/** One model in training on a service. */
export class TinkerTrainer implements Trainer {
  readonly modelId: string;
  private readonly connection: Connection;
  private readonly order: RequestOrder;
  /** Set when a row of this update was refused: stepping on the rest would train on half a batch. */
  private refusedPass: RetoolError | undefined;

  constructor(connection: Connection, modelId: string) {
    this.connection = connection;
    this.modelId = modelId;
    this.order = new RequestOrder(connection);
  }

  async policy(): Promise<Policy> {
    const sampler = this.connection.nextSampler();
    const reply = await this.order.run((seq) => ({
      path: '/api/v1/save_weights_for_sampler',
      type: 'SaveWeightsForSampler',
      result: SaveForSamplerResult,
      body: { model_id: this.modelId, seq_id: seq, sampling_session_seq_id: sampler, type: 'save_weights_for_sampler' },
    }));
    if (!reply.sampling_session_id) throw new RetoolError('service', 'The service saved weights but gave no sampler.');
    return new TinkerPolicy(this.connection, reply.sampling_session_id);
  }

  async forward(datums: readonly Datum[], loss: Loss): Promise<LossResult> {
    return this.pass(this.toChunks(datums, loss), 'forward');
  }

  async forwardBackward(datums: readonly Datum[], loss: Loss, updateRows = datums.length): Promise<LossResult> {
    const { reduction } = this.connection;
    try {
      const chunks = this.toChunks(datums, loss).map((chunk) => asSum(chunk, reduction, updateRows));
      return await this.pass(chunks, 'forward_backward');
    } catch (error) {
      if (error instanceof RetoolError && (error.code === 'data' || error.code === 'config')) this.refusedPass = error;
      throw error;
    }
  }

  async optimStep(adam: AdamParameters): Promise<Readonly<Record<string, number>>> {
    if (this.refusedPass) {
      throw new RetoolError('data', `The optimizer did not step: ${this.refusedPass.message}`, {
        hint: 'Resume the run from its last checkpoint.',
        cause: this.refusedPass,
      });
    }
    const parameters = {
      learning_rate: adam.learningRate,
      beta1: adam.beta1,
      beta2: adam.beta2,
      eps: adam.epsilon,
      weight_decay: adam.weightDecay,
      ...(this.connection.profile.gradientClip && { grad_clip_norm: adam.gradientClip }),
    };
    for (const [key, value] of Object.entries(parameters)) {
      if (!Number.isFinite(value)) throw new RetoolError('config', `The optimizer's ${key} is ${value}.`);
    }
    const reply = await this.order.run((seq) => ({
      path: '/api/v1/optim_step',
      type: 'OptimStep',
      result: OptimStepResult,
      body: { model_id: this.modelId, seq_id: seq, adam_params: parameters, type: 'optim_step' },
    }));
    return finiteMetrics(reply.metrics);
  }

  async save(name: string): Promise<string> {
    for (let attempt = 1; ; attempt++) {
      const own = attempt === 1 ? name : `${name}-${attempt}`;
      try {
        const reply = await this.order.run((seq) => this.saveRequest(own, seq));
        return reply.path;
      } catch (error) {
        if (!(error instanceof StatusError) || error.status !== 409) throw error;
        // After a lost answer the conflict is with this very save.
        const saved = error.attempts > 1 ? await this.find(own) : undefined;
        if (saved) return saved;
        if (attempt >= anotherNameAttempts) throw error;
      }
    }
  }

  async discard(path: string): Promise<void> {
    await discardCheckpoint(this.connection, path);
  }

  /** Restores a saved state into this model, which must be new. @param optimizer false leaves the optimizer fresh. */
  async load(path: string, optimizer: boolean): Promise<void> {
    await this.order.run((seq) => ({
      path: '/api/v1/load_weights',
      type: 'LoadWeights',
      result: LoadWeightsResult,
      body: { model_id: this.modelId, path, seq_id: seq, optimizer, type: 'load_weights' },
    }));
  }

  /** Lets the service drop the model. What was saved stays. */
  async unload(): Promise<void> {
    const { http, lifetime } = this.connection;
    const step = {
      path: '/api/v1/unload_model',
      type: 'UnloadModel',
      result: z.unknown(),
      body: { model_id: this.modelId, type: 'unload_model' },
    };
    await retrieve(http, step, await submit(http, step, lifetime), lifetime);
  }

  private toChunks(datums: readonly Datum[], loss: Loss): LossInput[] {
    const { profile, context, limits } = this.connection;
    return splitInput(toLossInput(datums, loss, profile, context), limits);
  }

  private async pass(chunks: readonly LossInput[], kind: 'forward' | 'forward_backward'): Promise<LossResult> {
    const replies = await Promise.all(
      chunks.map((chunk) =>
        this.order.run((seq) => ({
          path: `/api/v1/${kind}`,
          type: kind === 'forward' ? 'Forward' : 'ForwardBackward',
          result: LossResultReply,
          body: { model_id: this.modelId, seq_id: seq, [`${kind}_input`]: chunk },
        })),
      ),
    );
    return mergeReplies(
      replies,
      chunks.map((chunk) => chunk.data),
    );
  }

  private saveRequest(name: string, seq: number): TwoStep<typeof SaveWeightsResult> {
    return {
      path: '/api/v1/save_weights',
      type: 'SaveWeights',
      result: SaveWeightsResult,
      retryConflicts: false,
      body: {
        model_id: this.modelId,
        path: name,
        seq_id: seq,
        ttl_seconds: null,
        overwrite: false,
        type: 'save_weights',
      },
    };
  }

  private async find(name: string): Promise<string | undefined> {
    const { http, lifetime } = this.connection;
    const path = `/api/v1/training_runs/${encodeURIComponent(this.modelId)}/checkpoints`;
    const { checkpoints } = await http.call('GET', path, undefined, CheckpointList, lifetime);
    return checkpoints.find((checkpoint) => checkpoint.tinker_path.endsWith(`/weights/${name}`))?.tinker_path;
  }
}
