import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { wallSeconds } from '../trainer/interleaved';
import { idealSeconds } from './idealSchedule';
import { productLoop } from './productLoop';
import { readTrace, type Slots, type TracedTrajectory } from './trace';
import { turnByTurnLoop } from './turnByTurnLoop';

const path = resolve(import.meta.dirname, '../../shared/data/rollout-trace.jsonl');

/** Seconds of the clock for a second of the trace. */
const scale = 1 / 20;
const slotCounts: readonly Slots[] = [
  { model: 64, sandbox: 8 },
  { model: 16, sandbox: 2 },
];

interface BenchResult {
  readonly ratios: Record<string, number>;
  readonly figures: Record<string, number>;
  /** Which peers there were, or the reason why one is missing. */
  readonly peers: Record<string, string>;
}

/**
 * Wall time of the product's rollout loop over that of a loop that waits at every turn, and over an ideal event
 * simulation of its own rule, on a trace of ten steps. Timers stand for model and sandbox. The two loops take turns step
 * by step; ratios are of the sums over all steps, in seconds of the trace. Takes about seven minutes.
 */
export async function bench(): Promise<BenchResult> {
  const result: BenchResult = { ratios: {}, figures: {}, peers: {} };
  if (!existsSync(path)) {
    result.peers.trace = 'missing: ../shared/data/rollout-trace.jsonl is not beside the checkout';
    return result;
  }
  const steps = readTrace(readFileSync(path, 'utf8'));
  result.peers.trace = `${steps.length} steps at 1/${1 / scale} of their time`;
  result.peers.turnByTurn = 'a loop of this benchmark: all sample, all wait, all execute, all wait';
  for (const slots of slotCounts) await compare(result, steps, slots);
  return result;
}

async function compare({ ratios, figures }: BenchResult, steps: readonly TracedTrajectory[][], slots: Slots) {
  const wait = async (seconds: number) => {
    await delay(seconds * scale * 1000);
  };
  let [own, peer, ideal] = [0, 0, 0];
  const stepRatios: number[] = [];
  for (const step of steps) {
    let drawn: readonly TracedTrajectory[] = [];
    const ours = await wallSeconds(async () => {
      drawn = (await productLoop(step, slots, wait)).trajectories;
    });
    const theirs = await wallSeconds(() => turnByTurnLoop(step, slots, wait));
    stepRatios.push(ours / theirs);
    own += ours / scale;
    peer += theirs / scale;
    ideal += idealSeconds(drawn, slots);
  }
  stepRatios.sort((a, b) => a - b);
  const name = `${slots.model}model${slots.sandbox}sandbox`;
  ratios[`${name}/overTurnByTurn`] = own / peer;
  ratios[`${name}/overIdeal`] = own / ideal;
  figures[`${name}/seconds`] = own;
  figures[`${name}/turnByTurnSeconds`] = peer;
  figures[`${name}/idealSeconds`] = ideal;
  figures[`${name}/medianStepOverTurnByTurn`] = stepRatios[stepRatios.length >> 1]!;
}
