import { RetoolError } from '../lib/errors';
import type { LossResult } from '../rl/ports';
import type { LossInput, LossResultReply, WireDatum } from '../schema/tinker';
import { estimatedBytes } from './wireDatum';

/** Splits a batch into requests that the service takes, keeping the order of rows. */
export function splitInput(input: LossInput, limits: { readonly datums: number; readonly bytes: number }): LossInput[] {
  const chunks: LossInput[] = [];
  let rows: WireDatum[] = [];
  let bytes = 0;
  const flush = () => {
    if (rows.length > 0) chunks.push({ ...input, data: rows });
    rows = [];
    bytes = 0;
  };
  for (const row of input.data) {
    const size = estimatedBytes(row);
    if (rows.length >= limits.datums || (rows.length > 0 && bytes + size > limits.bytes)) flush();
    rows.push(row);
    bytes += size;
  }
  flush();
  return chunks;
}

/**
 * Joins the results of a split batch. Metrics are combined by the word after their colon: `sum` adds, `mean` is weighted
 * by rows, `min` and `max` are what they say; others keep the first request's value.
 *
 * @throws RetoolError `service` when log-probabilities are there but do not match the rows.
 */
export function mergeReplies(
  replies: readonly LossResultReply[],
  chunks: readonly (readonly WireDatum[])[],
): LossResult {
  const logprobs: (readonly number[])[] = [];
  const metrics: Record<string, number> = {};
  const total = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  let complete = true;
  for (const [index, reply] of replies.entries()) {
    const rows = chunks[index]!;
    for (const [row, datum] of rows.entries()) {
      const own = reply.loss_fn_outputs[row]?.logprobs?.data;
      const length = datum.loss_fn_inputs.target_tokens.data.length;
      if (own && own.length !== length) {
        throw new RetoolError(
          'service',
          `The service gave ${own.length} log-probabilities for a row of ${length} tokens.`,
        );
      }
      if (own) logprobs.push(own);
      else complete = false;
    }
    const weight = rows.length / total;
    for (const [name, value] of Object.entries(finiteMetrics(reply.metrics))) {
      metrics[name] = combine(name, metrics[name], value, weight);
    }
  }
  return { logprobs: complete ? logprobs : undefined, metrics };
}

/** Leaves out what the service could not express as a number. */
export function finiteMetrics(metrics: LossResultReply['metrics']): Record<string, number> {
  const entries = Object.entries(metrics ?? {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => entry[1] !== null));
}

function combine(name: string, before: number | undefined, value: number, weight: number): number {
  const kind = name.slice(name.lastIndexOf(':') + 1);
  if (kind === 'mean') return (before ?? 0) + value * weight;
  if (before === undefined) return value;
  if (kind === 'sum') return before + value;
  if (kind === 'min') return Math.min(before, value);
  return kind === 'max' ? Math.max(before, value) : before;
}
