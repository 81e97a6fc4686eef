import { RetoolError } from '../lib/errors';
import type { Datum, LossResult, Trainer } from './ports';

/** A row with what a loss may need beside its coefficients. */
export interface WeightedDatum extends Datum {
  /** What a term without an advantage is multiplied by, at every token. Coefficients hold it already. */
  readonly weight: number;
  /** (N) log-probabilities of the reference policy, nats. */
  readonly reference?: readonly number[];
}

/**
 * A loss of log-probabilities that runs here. The services know only their own losses; what is sent is its gradient.
 *
 * @param logprobs one array per datum: the trainer's log-probability of each target, nats.
 * @returns the loss's derivative with respect to each of them, and metrics to report.
 */
export type LossAndGradient = (
  logprobs: readonly (readonly number[])[],
  datums: readonly WeightedDatum[],
) => { readonly gradient: readonly (readonly number[])[]; readonly metrics: Readonly<Record<string, number>> };

/** A row that has a forward pass and no loss. */
export const silent = (datum: Datum): Datum => ({ ...datum, coefficients: datum.tokens.map(() => 0) });

/**
 * Accumulates the gradient of a loss that the service does not have: a forward pass gives the log-probabilities, and
 * cross-entropy with weights of minus the derivative has the wanted gradient, since its own derivative is minus the weight.
 * Costs a forward pass more than a built-in loss; there is no entropy term.
 *
 * @param updateRows as of {@link Trainer.forwardBackward}.
 * @returns the metrics of the custom loss and the log-probabilities that it saw.
 * @throws RetoolError `data` when a derivative is not finite, `service` when there are no log-probabilities.
 */
export async function forwardBackwardCustom(
  trainer: Trainer,
  datums: readonly WeightedDatum[],
  lossAndGradient: LossAndGradient,
  updateRows = datums.length,
): Promise<LossResult> {
  const { logprobs } = await trainer.forward(datums.map(silent), { kind: 'crossEntropy' });
  if (!logprobs)
    throw new RetoolError('service', 'The service returns no log-probabilities, so a custom loss cannot run on it.');
  const { gradient, metrics } = lossAndGradient(logprobs, datums);
  const weighted = datums.map((datum, row) => ({ ...datum, coefficients: gradient[row]!.map((slope) => -slope) }));
  await trainer.forwardBackward(weighted, { kind: 'crossEntropy' }, updateRows);
  return { logprobs, metrics };
}
