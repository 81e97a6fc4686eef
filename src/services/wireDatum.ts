import { RetoolError } from '../lib/errors';
import type { Datum, Loss, LossOffers } from '../rl/ports';
import type { LossFn, LossFnConfig, LossInput, TensorData, WireDatum } from '../schema/tinker';
import type { ServiceProfile } from './profile';
import type { Reduction } from './reduction';

const lossFns: Readonly<Record<Loss['kind'], LossFn>> = {
  crossEntropy: 'cross_entropy',
  importanceSampling: 'importance_sampling',
  ppo: 'ppo',
  cispo: 'cispo',
};

/**
 * What a service can compute by itself, in the words of the method. Where rows are divided by their weights, no
 * cross-entropy can be weighted, and no entropy bonus is the same for all tokens.
 */
export function offersOf({ losses, entropy }: ServiceProfile, reduction: Reduction): LossOffers {
  const kinds = (Object.keys(lossFns) as Loss['kind'][]).filter((kind) => losses.includes(lossFns[kind]));
  if (reduction !== 'meanOverRowsOfTokenMeans') return { losses: kinds, entropy };
  return { losses: kinds.filter((kind) => kind !== 'crossEntropy'), entropy: false };
}

/**
 * Puts rows and loss into the words of the protocol.
 *
 * @throws RetoolError `data` for numbers that would spoil the weights, `config` for what the service does not offer.
 */
export function toLossInput(datums: readonly Datum[], loss: Loss, profile: ServiceProfile, context: number): LossInput {
  const lossFn = lossFns[loss.kind];
  if (!profile.losses.includes(lossFn)) {
    throw new RetoolError('config', `The service ${profile.name} has no loss ${lossFn}.`, {
      hint: `It has ${profile.losses.join(', ')}.`,
    });
  }
  if (datums.length === 0) throw new RetoolError('data', 'A batch without rows cannot be trained on.');
  for (const [row, datum] of datums.entries()) checkDatum(datum, row, context);
  return {
    data: datums.map((datum) => toWireDatum(datum, lossFn, profile)),
    loss_fn: lossFn,
    loss_fn_config: toConfig(loss, profile),
  };
}

/** Bytes that a service counts for a row: 10 per token of the input, and the tensors. */
export function estimatedBytes({ model_input: input, loss_fn_inputs: inputs }: WireDatum): number {
  const tokens = input.chunks.reduce((sum, chunk) => sum + chunk.tokens.length, 0);
  const tensors = Object.values(inputs).filter((tensor) => tensor !== undefined);
  return 10 * tokens + tensors.reduce((sum, { data, dtype }) => sum + data.length * (dtype === 'int64' ? 8 : 4), 0);
}

function toConfig(loss: Loss, profile: ServiceProfile): LossFnConfig {
  if (loss.kind === 'crossEntropy') return {};
  const config: { -readonly [Key in keyof LossFnConfig]: LossFnConfig[Key] } = {};
  if (loss.kind !== 'importanceSampling') {
    config.clip_low_threshold = loss.clipLow;
    config.clip_high_threshold = loss.clipHigh;
  }
  if (loss.entropyCoefficient) {
    if (!profile.entropy) {
      throw new RetoolError('config', `The service ${profile.name} has no entropy bonus.`, {
        hint: 'Set the entropy coefficient to 0, or train on the local trainer.',
      });
    }
    config.entropy_coef = loss.entropyCoefficient;
  }
  for (const [key, value] of Object.entries(config)) {
    if (!Number.isFinite(value)) throw new RetoolError('config', `The loss setting ${key} is ${value}.`);
  }
  return config;
}

function checkDatum(datum: Datum, row: number, context: number): void {
  const length = datum.tokens.length;
  if (length === 0) throw new RetoolError('data', `Row ${row} has no tokens.`);
  if (length > context) {
    throw new RetoolError('data', `Row ${row} has ${length} tokens, but the model's context holds ${context}.`);
  }
  for (const key of ['targets', 'mask', 'logprobs', 'coefficients'] as const) {
    const values = datum[key];
    if (values.length !== length) {
      throw new RetoolError('data', `Row ${row} has ${length} tokens but ${values.length} ${key}.`);
    }
    const bad = values.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) throw new RetoolError('data', `Row ${row} has ${values[bad]} among its ${key}, at position ${bad}.`);
  }
}

function toWireDatum(datum: Datum, lossFn: LossFn, profile: ServiceProfile): WireDatum {
  const shared = { target_tokens: tensor(datum.targets, 'int64') };
  const inputs =
    lossFn === 'cross_entropy'
      ? { ...shared, weights: tensor(datum.coefficients, 'float32') }
      : {
          ...shared,
          logprobs: tensor(datum.logprobs, 'float32'),
          advantages: tensor(datum.coefficients, 'float32'),
          ...(profile.sendWeightsWithRl && { weights: tensor(datum.mask, 'float32') }),
        };
  return { model_input: { chunks: [{ type: 'encoded_text', tokens: [...datum.tokens] }] }, loss_fn_inputs: inputs };
}

function tensor(data: readonly number[], dtype: TensorData['dtype']): TensorData {
  return { data: data as number[], dtype, shape: [data.length] };
}
