import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { equalAnswers } from '../../../src/grading/equalAnswers';
import { mathVerifyVersion, startMathVerify } from './mathVerify';

const corpus = resolve(import.meta.dirname, '../../shared/corpus/answer-equality.jsonl');
const rounds = 5;
/** Passes of ours in a round: one alone is over before it can be timed well. */
const ownPasses = 20;
/** Math-Verify gives up a reading or a comparison after 5 seconds. */
const timedOut = 4.5;

export interface BenchResult {
  readonly ratios: Record<string, number>;
  readonly figures: Record<string, number>;
  /** Version, or the reason why a peer is missing. */
  readonly peers: Record<string, string>;
}

interface Pair {
  readonly gold: string;
  readonly prediction: string;
  readonly equal: boolean;
}

/** Seconds and verdict per pair. */
type Pass = readonly (readonly [seconds: number, equal: boolean])[];

function ownPass(pairs: readonly Pair[]): Pass {
  return pairs.map(({ gold, prediction }) => {
    const began = performance.now();
    const { verdict } = equalAnswers(gold, prediction);
    return [(performance.now() - began) / 1000, verdict === 'equal'];
  });
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;

function accuracy(pairs: readonly Pair[], pass: Pass) {
  const wrong = pairs.filter(({ equal }, index) => pass[index]![1] !== equal);
  return {
    percent: (100 * (pairs.length - wrong.length)) / pairs.length,
    falsePositives: wrong.filter(({ equal }) => !equal).length,
  };
}

/** Grading against Math-Verify: median seconds per check after a warm pass, and accuracy on the open corpus. */
export async function bench(): Promise<BenchResult> {
  if (!existsSync(corpus)) {
    return { ratios: {}, figures: {}, peers: { corpus: 'missing: ../shared/corpus is not beside the checkout' } };
  }
  const lines = readFileSync(corpus, 'utf8').trim().split('\n');
  const pairs = lines.map((line) => JSON.parse(line) as Pair);
  const own = ownPass(pairs);
  const ownPassesOver = (some: readonly Pair[]): Pass => Array.from({ length: ownPasses }, () => ownPass(some)).flat();
  const { percent, falsePositives } = accuracy(pairs, own);
  const figures: Record<string, number> = { pairs: pairs.length, accuracy: percent, falsePositives };
  try {
    const peer = await startMathVerify();
    try {
      const ask = async (some: readonly Pair[]): Promise<Pass> =>
        JSON.parse(await peer.ask(JSON.stringify(some.map(({ gold, prediction }) => [gold, prediction])))) as Pass;
      const warm = await ask(pairs);
      const theirs = accuracy(pairs, warm);
      const timed = pairs.filter((_, index) => warm[index]![0] < timedOut);
      const medians: { own: number; peer: number }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const seconds = (pass: Pass) => median(pass.map(([time]) => time));
        medians.push({ own: seconds(ownPassesOver(timed)), peer: seconds(await ask(timed)) });
      }
      return {
        ratios: { medianCheck: median(medians.map((pass) => pass.peer / pass.own)) },
        figures: {
          ...figures,
          mathVerifyAccuracy: theirs.percent,
          mathVerifyFalsePositives: theirs.falsePositives,
          pointsAhead: percent - theirs.percent,
          pairsTimed: timed.length,
          milliseconds: 1000 * median(medians.map((pass) => pass.own)),
          mathVerifyMilliseconds: 1000 * median(medians.map((pass) => pass.peer)),
        },
        peers: { 'math-verify': mathVerifyVersion },
      };
    } finally {
      peer.dispose();
    }
  } catch (error) {
    return { ratios: {}, figures, peers: { 'math-verify': `missing: ${(error as Error).message.split('\n')[0]}` } };
  }
}
