import { RetoolError } from '../lib/errors';
import type { AdamParameters, LossConfig, LossName, ModelShape, SamplingRequest, TrainingRow } from './engine';

/** @throws RetoolError `config` when no model can have this shape. */
export function checkShape({ vocabulary, width, layers, heads, context }: ModelShape): void {
  const whole = [vocabulary, width, layers, heads, context].every((size) => Number.isInteger(size) && size > 0);
  if (!whole) throw new RetoolError('config', 'Every size of a local model is a whole number above 0.');
  if (width % heads !== 0 || (width / heads) % 4 !== 0) {
    throw new RetoolError('config', `A width of ${width} does not divide into ${heads} heads of a multiple of 4.`);
  }
  if (context > 2048) throw new RetoolError('config', `A context of ${context} is longer than 2048 tokens.`);
}

/** @throws RetoolError `data` naming the first row and field that cannot be trained on. */
export function checkRows(shape: ModelShape, rows: readonly TrainingRow[], loss: LossName, config: LossConfig): void {
  for (const [name, value] of Object.entries(config)) {
    if (value !== undefined && !Number.isFinite(value))
      throw new RetoolError('data', `${name} is not a finite number.`);
  }
  for (const [index, row] of rows.entries()) {
    const refuse = (problem: string): never => {
      throw new RetoolError('data', `Row ${index}: ${problem}.`);
    };
    const length = row.tokens.length;
    if (length === 0) refuse('tokens is empty');
    if (length > shape.context) refuse(`tokens has ${length} tokens, and the context is ${shape.context}`);
    for (const field of ['tokens', 'targets'] as const) {
      const bad = row[field].find((token) => token < 0 || token >= shape.vocabulary);
      if (bad !== undefined) refuse(`${field} has ${bad}, and the vocabulary ends at ${shape.vocabulary - 1}`);
    }
    if (loss !== 'cross_entropy') {
      if (!row.advantages) refuse(`advantages is missing, and ${loss} needs it`);
      if (!row.logprobs) refuse(`logprobs is missing, and ${loss} needs it`);
    }
    for (const field of ['targets', 'weights', 'logprobs', 'advantages'] as const) {
      const values = row[field];
      if (!values) continue;
      if (values.length !== length) refuse(`${field} has ${values.length} entries for ${length} tokens`);
      if (!values.every(Number.isFinite)) refuse(`${field} has an entry that is not finite`);
    }
  }
}

/** @throws RetoolError `data` naming the setting. */
export function checkAdam(adam: AdamParameters): void {
  for (const [name, value] of Object.entries(adam)) {
    if (!Number.isFinite(value) || value < 0) {
      throw new RetoolError('data', `${name} is ${value}; it must be a number of at least 0.`);
    }
  }
  for (const name of ['beta1', 'beta2'] as const) {
    if (adam[name] >= 1) throw new RetoolError('data', `${name} is ${adam[name]}; it must be below 1.`);
  }
}

/** @throws RetoolError `data` saying what cannot be sampled. */
export function checkSampling(shape: ModelShape, request: SamplingRequest): void {
  const refuse = (problem: string): never => {
    throw new RetoolError('data', problem);
  };
  const { prompt, maxTokens, temperature, topK, topP, seed } = request;
  if (prompt.length === 0) refuse('The prompt is empty.');
  if (!Number.isInteger(maxTokens) || maxTokens < 0) refuse(`maxTokens is ${maxTokens}; it must be a whole number.`);
  if (prompt.length + maxTokens > shape.context) {
    refuse(
      `A prompt of ${prompt.length} tokens and ${maxTokens} to sample exceed the context of ${shape.context} tokens.`,
    );
  }
  const bad = prompt.find((token) => token < 0 || token >= shape.vocabulary);
  if (bad !== undefined) refuse(`The prompt has token ${bad}, and the vocabulary ends at ${shape.vocabulary - 1}.`);
  if (!(temperature >= 0 && temperature < Number.POSITIVE_INFINITY)) refuse(`temperature is ${temperature}.`);
  if (temperature > 0 && temperature < 1e-6) refuse(`temperature is ${temperature}; use 0 for greedy decoding.`);
  if (!(topP > 0 && topP <= 1)) refuse(`topP is ${topP}; it must be above 0 and at most 1.`);
  if (!Number.isInteger(topK) || topK === 0 || topK < -1) refuse(`topK is ${topK}; it must be -1 or at least 1.`);
  if (!Number.isSafeInteger(seed)) refuse(`seed is ${seed}; it must be a whole number below 2^53.`);
}
