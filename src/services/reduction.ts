import { RetoolError } from '../lib/errors';
import type { LossInput, WireDatum } from '../schema/tinker';

/**
 * What a service makes of the losses of the tokens that it is sent. `m` is the row's `weights`, or 1 everywhere.
 *
 * - `sum`: over tokens and rows.
 * - `meanOverRows`: per call, the mean over its rows of their sums.
 * - `meanOverTokens`: per call, the sum over the number of its tokens where m is not 0.
 * - `meanOverRowsOfTokenMeans`: per row, the sum of m times the loss over the sum of m; of these the mean over all rows
 *   up to the optimizer's step, whatever the calls.
 */
export type Reduction = 'sum' | 'meanOverRows' | 'meanOverTokens' | 'meanOverRowsOfTokenMeans';

/**
 * Scales what is sent so that the service's reduction comes to the sum that the method means, whatever the split.
 *
 * @param input one call, after all splitting. @param updateRows rows of all calls up to the optimizer's step.
 * @throws RetoolError `config` where a reduction cannot express the loss.
 */
export function asSum(input: LossInput, reduction: Reduction, updateRows: number): LossInput {
  switch (reduction) {
    case 'sum':
      return input;
    case 'meanOverRows':
      return scaleCall(input, input.data.length);
    case 'meanOverTokens':
      return scaleCall(
        input,
        input.data.reduce((sum, row) => sum + masks(row).filter((weight) => weight !== 0).length, 0),
      );
    case 'meanOverRowsOfTokenMeans':
      if (input.loss_fn === 'cross_entropy') {
        throw new RetoolError('config', 'This service divides the cross-entropy of a row by its weights.', {
          hint: 'Leave out the cold start, and use a loss that the service has.',
        });
      }
      return {
        ...input,
        data: input.data.map((row) => scaleRow(row, updateRows * masks(row).reduce((sum, weight) => sum + weight, 0))),
      };
  }
}

const masks = ({ loss_fn_inputs: { weights, target_tokens: targets } }: WireDatum): readonly number[] =>
  weights?.data ?? targets.data.map(() => 1);

/** Every row by the same factor, and the entropy bonus with them: it is reduced in the same way. */
function scaleCall(input: LossInput, factor: number): LossInput {
  const entropy = input.loss_fn_config?.entropy_coef;
  return {
    ...input,
    data: input.data.map((row) => scaleRow(row, factor)),
    ...(entropy && { loss_fn_config: { ...input.loss_fn_config, entropy_coef: entropy * factor } }),
  };
}

/** Policy losses are linear in the advantages, cross-entropy in the weights. */
function scaleRow(row: WireDatum, factor: number): WireDatum {
  const { advantages, weights } = row.loss_fn_inputs;
  const scaled = advantages ?? weights;
  if (!scaled) return row;
  const tensor = { ...scaled, data: scaled.data.map((value) => value * factor) };
  return { ...row, loss_fn_inputs: { ...row.loss_fn_inputs, [advantages ? 'advantages' : 'weights']: tensor } };
}
