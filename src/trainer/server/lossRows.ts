import type { LossFn, LossFnConfig, LossInput, TensorData, WireDatum } from '../../schema/tinker';
import type { LossOutput, ModelShape, TrainingRow } from '../engine';
import { Fault } from './fault';

/** Joins a prompt's chunks and checks its tokens against the model. */
export function toTokens(
  chunks: readonly { readonly tokens: readonly number[] }[],
  shape: ModelShape,
  field: string,
): Int32Array {
  const tokens = chunks.length === 1 ? chunks[0]!.tokens : chunks.flatMap((chunk) => chunk.tokens);
  if (tokens.length === 0) throw new Fault(400, `${field} has no tokens.`);
  if (tokens.length > shape.context) {
    throw new Fault(400, `${field} has ${tokens.length} tokens, but the model's context holds ${shape.context}.`);
  }
  return toVocabulary(tokens, shape, field);
}

/** @throws Fault 400 naming the datum and the field. */
export function toRows({ data, loss_fn: loss }: LossInput, shape: ModelShape): TrainingRow[] {
  return data.map((datum, index) => toRow(datum, loss, shape, `data[${index}]`));
}

/** @throws Fault 400 when the loss does not know a key. */
export function checkConfig(loss: LossFn, config: LossFnConfig): void {
  for (const key of Object.keys(config)) {
    const clip = key.startsWith('clip_') && (loss === 'importance_sampling' || loss === 'cross_entropy');
    if (clip || loss === 'cross_entropy') throw new Fault(400, `loss_fn_config.${key} means nothing to ${loss}.`);
  }
}

export function toLossReply(output: LossOutput, loss: LossFn): object {
  if (output.logprobs.some((row) => row.some((logprob) => !Number.isFinite(logprob)))) {
    throw new Fault(
      400,
      'the weights are no longer finite: lower the learning rate and start from an earlier checkpoint',
    );
  }
  const tensor = (data: Float32Array): TensorData => ({
    data: Array.from(data),
    dtype: 'float32',
    shape: [data.length],
  });
  return {
    loss_fn_output_type: 'ArrayRecord',
    loss_fn_outputs: output.logprobs.map((logprobs, row) => ({
      logprobs: tensor(logprobs),
      ...(loss === 'cross_entropy' && { elementwise_loss: tensor(output.elementwiseLoss[row]!) }),
    })),
    metrics: output.metrics,
  };
}

function toRow(datum: WireDatum, loss: LossFn, shape: ModelShape, field: string): TrainingRow {
  const tokens = toTokens(datum.model_input.chunks, shape, `${field}.model_input`);
  const inputs = datum.loss_fn_inputs;
  const floats = (name: 'weights' | 'logprobs' | 'advantages') => {
    const tensor = inputs[name];
    return tensor && toFloats(tensor, tokens.length, `${field}.loss_fn_inputs.${name}`);
  };
  checkLength(inputs.target_tokens, tokens.length, `${field}.loss_fn_inputs.target_tokens`);
  const targets = toVocabulary(inputs.target_tokens.data, shape, `${field}.loss_fn_inputs.target_tokens`);
  const weights = floats('weights');
  if (loss === 'cross_entropy') return { tokens, targets, weights: weights ?? new Float32Array(tokens.length).fill(1) };
  const logprobs = floats('logprobs');
  const advantages = floats('advantages');
  if (!logprobs || !advantages) {
    throw new Fault(400, `${field}.loss_fn_inputs needs logprobs and advantages for ${loss}.`);
  }
  return { tokens, targets, logprobs, advantages, ...(weights && { weights }) };
}

function toVocabulary(tokens: readonly number[], shape: ModelShape, field: string): Int32Array {
  for (const token of tokens) {
    if (Number.isInteger(token) && token >= 0 && token < shape.vocabulary) continue;
    throw new Fault(400, `${field} has token ${token}, but the vocabulary has ids 0 to ${shape.vocabulary - 1}.`);
  }
  return Int32Array.from(tokens);
}

function toFloats(tensor: TensorData, length: number, field: string): Float32Array {
  checkLength(tensor, length, field);
  const data = Float32Array.from(tensor.data);
  if (!data.every(Number.isFinite)) throw new Fault(400, `${field} has a number that float32 cannot hold.`);
  return data;
}

function checkLength({ data }: TensorData, length: number, field: string): void {
  if (data.length === length) return;
  throw new Fault(400, `${field} has ${data.length} elements, but model_input has ${length} tokens.`);
}
