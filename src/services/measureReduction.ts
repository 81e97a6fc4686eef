import { RetoolError } from '../lib/errors';
import type { Datum, Trainer } from '../rl/ports';
import type { Reduction } from './reduction';

/** A model to throw away, and what it is sent goes out unconverted. */
export type ProbeTrainer = Pick<Trainer, 'forward' | 'forwardBackward' | 'optimStep'> & { unload(): Promise<void> };

const length = 8;
/** Any vocabulary has these ids. */
const tokens = Array.from({ length }, (_, t) => 10 + t);

/** A row of eight tokens, of which `first`..`end` (exclusive) are trained on. */
const probe = (first: number, end: number): Datum => {
  const mask = tokens.map((_, t) => Number(t >= first && t < end));
  return { tokens, targets: tokens.map((id) => id + 1), mask, logprobs: tokens.map(() => 0), coefficients: mask };
};
const half = length / 2;
const [firstHalf, secondHalf, whole, one] = [probe(0, half), probe(half, length), probe(0, length), probe(7, 8)];

/** Nats by which a step shall raise the log-probability of the row: small enough for the step to be linear. */
const wanted = 0.02;
const attempts = 10;
/** Largest relative difference of a measured share from what a reduction predicts. */
const tolerance = 0.15;

/**
 * Finds out how a service reduces losses, from what optimizer steps do: a reported loss need not have the scale of the
 * gradient. Steps are taken on fresh models of one seed, with an epsilon that makes Adam's step proportional to the
 * gradient. Whether the parts of a row, the rows of a call and the calls of a step add up or are averaged tells the
 * reductions apart.
 *
 * @param create gives a new model, the same each time.
 * @throws RetoolError `service` when the answer fits no reduction that is known, naming the shares.
 */
export async function measureReduction(create: () => Promise<ProbeTrainer>): Promise<Reduction> {
  const raise = (learningRate: number) => async (calls: readonly (readonly Datum[])[]) => {
    const trainer = await create();
    const before = await total(trainer);
    for (const call of calls) await trainer.forwardBackward(call, { kind: 'crossEntropy' });
    await trainer.optimStep({ learningRate, beta1: 0.9, beta2: 0.9, epsilon: 100, weightDecay: 0, gradientClip: 0 });
    const after = await total(trainer);
    await trainer.unload();
    return after - before;
  };
  const by = raise(await findLearningRate((learningRate) => raise(learningRate)([[firstHalf]])));

  const first = await by([[firstHalf]]);
  const second = await by([[secondHalf]]);
  const sum = first + second;
  const shares = {
    tokens: (await by([[whole]])) / sum,
    rows: (await by([[firstHalf, secondHalf]])) / sum,
    calls: (await by([[firstHalf], [secondHalf]])) / sum,
  };
  const found = Object.entries(predicted).find(([, expected]) =>
    Object.entries(expected).every(([name, share]) => close(shares[name as keyof typeof shares], share)),
  )?.[0] as Reduction | undefined;
  if (found && (found !== 'meanOverTokens' || (await countsTokens(by, first)))) return found;
  const told = Object.entries(shares).map(([name, share]) => `${name} ${share.toFixed(2)}`);
  throw new RetoolError('service', `The service reduces losses in a way that is not known (${told.join(', ')}).`, {
    hint: 'Nothing was trained. Set the reduction of its profile by hand, or use another service.',
  });
}

/** Share of the sum of both halves that they have together: in one row, in two rows, in two calls. */
const predicted: Readonly<Record<Reduction, { tokens: number; rows: number; calls: number }>> = {
  sum: { tokens: 1, rows: 1, calls: 1 },
  meanOverRows: { tokens: 1, rows: 0.5, calls: 1 },
  meanOverTokens: { tokens: 0.5, rows: 0.5, calls: 1 },
  meanOverRowsOfTokenMeans: { tokens: 0.5, rows: 0.5, calls: 0.5 },
};

const close = (value: number, expected: number) => Math.abs(value / expected - 1) < tolerance;

/** Four tokens beside one: tells the mean over tokens from a mean, per call, over the means of rows. */
async function countsTokens(by: (calls: readonly (readonly Datum[])[]) => Promise<number>, first: number) {
  const single = await by([[one]]);
  const both = await by([[firstHalf, one]]);
  return Math.abs(both - (half * first + single) / (half + 1)) <= Math.abs(both - (first + single) / 2);
}

async function findLearningRate(raise: (learningRate: number) => Promise<number>): Promise<number> {
  let learningRate = 1e-2;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const raised = await raise(learningRate);
    if (raised > wanted / 2 && raised < wanted * 2) return learningRate;
    // Where a step did nothing that can be seen, or too much to be linear, the answer says only in which direction to go.
    if (raised > 1e-4 && raised < 1) learningRate *= wanted / raised;
    else learningRate *= Math.abs(raised) <= 1e-4 ? 100 : 0.01;
  }
  throw new RetoolError(
    'service',
    'The service did not respond to a trial step, so its reduction cannot be measured.',
    {
      hint: 'Set the reduction of its profile by hand.',
    },
  );
}

async function total(trainer: ProbeTrainer): Promise<number> {
  const { logprobs } = await trainer.forward([whole], { kind: 'crossEntropy' });
  if (!logprobs) {
    throw new RetoolError('service', 'The service returns no log-probabilities, so its reduction cannot be measured.', {
      hint: 'Set the reduction of its profile by hand.',
    });
  }
  return logprobs[0]!.reduce((sum, logprob) => sum + logprob, 0);
}
