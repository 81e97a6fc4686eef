import { RetoolError } from '../lib/errors';
import type { Datum } from './ports';

/** A span of a sequence: sampled or demonstrated tokens are trained on, all others are context. */
export interface Span {
  readonly tokens: readonly number[];
  /** Nats at sampling, one per token; undefined for context. Demonstrations give zeros. */
  readonly logprobs: readonly number[] | undefined;
}

/**
 * Folds the spans of one sequence into one right-shifted training row.
 *
 * Interpreter output and headers stay in the context and take no gradient (ReTool, arXiv:2504.11536, feedback mask).
 *
 * @param coefficient what every trained token's loss is multiplied by.
 * @throws RetoolError `data` naming the span and position when a log-probability is missing, not finite or above 0:
 * training on it would be silently wrong.
 */
export function toDatum(spans: readonly Span[], coefficient: number): Datum {
  const tokens: number[] = [];
  const mask: number[] = [];
  const logprobs: number[] = [];
  for (const [index, span] of spans.entries()) {
    if (span.logprobs) checkLogprobs(span.tokens, span.logprobs, `span ${index}`);
    tokens.push(...span.tokens);
    mask.push(...span.tokens.map(() => (span.logprobs ? 1 : 0)));
    logprobs.push(...(span.logprobs ?? span.tokens.map(() => 0)));
  }
  const shifted = mask.slice(1);
  return {
    tokens: tokens.slice(0, -1),
    targets: tokens.slice(1),
    mask: shifted,
    logprobs: logprobs.slice(1),
    coefficients: shifted.map((trained) => (trained ? coefficient : 0)),
  };
}

/** @param where names the span in the error. @throws RetoolError `data`. */
export function checkLogprobs(tokens: readonly number[], logprobs: readonly number[], where: string): void {
  if (tokens.length !== logprobs.length) {
    throw new RetoolError('data', `${where} has ${tokens.length} tokens but ${logprobs.length} log-probabilities.`);
  }
  const bad = logprobs.findIndex((logprob) => !(logprob <= 0 && logprob > Number.NEGATIVE_INFINITY));
  if (bad >= 0) throw new RetoolError('data', `${where} has the log-probability ${logprobs[bad]} at token ${bad}.`);
}

/** Tokens that are trained on. */
export const trainedTokens = (datum: Datum): number => datum.mask.reduce((sum, trained) => sum + trained, 0);
