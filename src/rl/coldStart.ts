import { deriveSeed, mulberry32, shuffled } from '../lib/seed';
import type { Demonstration, ToolResult } from '../schema/trajectory';
import { toDatum } from './datum';
import type { Datum, ToolProtocol } from './ports';

/** How a demonstration is told: with a call of its code, or with the answer at once. */
export function demonstrationDatum(
  demonstration: Demonstration,
  withTool: boolean,
  protocol: ToolProtocol,
  observationTokens: number,
): Datum {
  const untrained = (tokens: readonly number[]) => ({ tokens, logprobs: undefined });
  const taught = (tokens: readonly number[]) => ({ tokens, logprobs: tokens.map(() => 0) });
  const answer = taught(protocol.answer(demonstration.answer));
  if (!withTool) return toDatum([untrained(protocol.prompt(demonstration)), answer], 1);
  const call = protocol.call(demonstration.code);
  return toDatum(
    [
      untrained(protocol.prompt(demonstration)),
      taught(call),
      untrained(protocol.continuation(call, protocol.observe(printed(demonstration.answer)), observationTokens)),
      answer,
    ],
    1,
  );
}

/** What code comes to that prints its answer. */
const printed = (answer: string): ToolResult => ({
  status: 'ok',
  stdout: `${answer}\n`,
  stderr: '',
  exitCode: 0,
  signal: null,
  seconds: 0,
  queueSeconds: 0,
  cpuSeconds: 0,
  peakMemoryBytes: 0,
  truncated: false,
  level: 'told',
});

/** Index of item `position` in an endless series of epochs, each a shuffle of `count` items of its own. */
export function orderAt(count: number, seed: number, purpose: string): (position: number) => number {
  const epochs = new Map<number, number[]>();
  const indices = Array.from({ length: count }, (_, i) => i);
  return (position) => {
    const epoch = Math.floor(position / count);
    let order = epochs.get(epoch);
    if (!order) {
      order = shuffled(indices, mulberry32(deriveSeed(seed, purpose, epoch)));
      epochs.clear();
      epochs.set(epoch, order);
    }
    return order[position % count]!;
  };
}

/** The rows of cold-start update `step` (from 1). The same step always gives the same rows. */
export function coldStartBatch(
  demonstrations: readonly Demonstration[],
  step: number,
  options: { readonly batchSize: number; readonly toolShare: number; readonly seed: number },
  protocol: ToolProtocol,
  observationTokens: number,
): Datum[] {
  const at = orderAt(demonstrations.length, options.seed, 'demonstrations');
  return Array.from({ length: options.batchSize }, (_, i) => {
    const position = (step - 1) * options.batchSize + i;
    const demonstration = demonstrations[at(position)]!;
    const draw = mulberry32(deriveSeed(options.seed, 'demonstrate', step, i))();
    return demonstrationDatum(demonstration, draw < options.toolShare, protocol, observationTokens);
  });
}
