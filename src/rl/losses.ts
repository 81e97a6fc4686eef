import type { Experiment } from '../schema/experiment';
import type { LossAndGradient, WeightedDatum } from './customLoss';

export type LossSettings = Experiment['reinforcement']['loss'];

/** A part of the loss and its derivative with respect to the trainer's log-probability. */
export interface Term {
  readonly loss: number;
  readonly slope: number;
  /** A bound removed the gradient; `dual`: the one of dual clip. */
  readonly clipped: false | 'ratio' | 'dual';
}

/** Keeps e^x finite when a policy has drifted out of sight; beyond it the ratio is constant. As verl clamps. */
const exponentLimit = 20;

/** e^x and its derivative, x clamped to +-20. */
export function ratioOf(exponent: number): { readonly ratio: number; readonly slope: number } {
  const ratio = Math.exp(Math.min(exponentLimit, Math.max(-exponentLimit, exponent)));
  return { ratio, slope: Math.abs(exponent) > exponentLimit ? 0 : ratio };
}

/**
 * -min(r A, clip(r) A), for A < 0 at most -c A; or what of it importance sampling (no clip) and CISPO
 * (-stopgrad(clip(r)) A lp) take.
 *
 * @param old log-probability at sampling, nats. @param logprob now. @param advantage A, times any weight above 0.
 * @see PPO arXiv:1707.06347; dual clip arXiv:1912.09729; CISPO arXiv:2506.13585.
 */
export function tokenTerm(settings: LossSettings, old: number, logprob: number, advantage: number): Term {
  const exponent = ratioOf(logprob - old);
  if (settings.kind === 'cispo') {
    const bounded = clip(exponent.ratio, settings);
    return { loss: -bounded * advantage * logprob, slope: -bounded * advantage, clipped: false };
  }
  return ratioTerm(settings, exponent, advantage);
}

function ratioTerm(
  settings: LossSettings,
  { ratio, slope }: { readonly ratio: number; readonly slope: number },
  advantage: number,
): Term {
  const free: Term = { loss: -ratio * advantage, slope: -slope * advantage, clipped: false };
  if (settings.kind === 'importanceSampling') return free;
  const bounded = clip(ratio, settings);
  const clipped: Term =
    ratio * advantage <= bounded * advantage ? free : { loss: -bounded * advantage, slope: 0, clipped: 'ratio' };
  const { dualClip } = settings;
  if (dualClip === undefined || advantage >= 0 || clipped.loss <= -dualClip * advantage) return clipped;
  return { loss: -dualClip * advantage, slope: 0, clipped: 'dual' };
}

const clip = (ratio: number, { clipLow, clipHigh }: LossSettings): number =>
  Math.min(clipHigh, Math.max(clipLow, ratio));

/**
 * The ratio of a whole trajectory: e^(mean over trained tokens of logprob - old).
 *
 * @see GSPO arXiv:2507.18071, equation 6.
 */
export function sequenceRatio(
  old: readonly number[],
  logprobs: readonly number[],
  mask: readonly number[],
): { readonly ratio: number; readonly slope: number } {
  const tokens = mask.reduce((sum, trained) => sum + trained, 0);
  const total = mask.reduce((sum, trained, t) => sum + trained * (logprobs[t]! - old[t]!), 0);
  const { ratio, slope } = ratioOf(total / tokens);
  return { ratio, slope: slope / tokens };
}

/**
 * Estimates of KL(policy || reference) from one token, and the derivative: k1 = d, k2 = d^2 / 2, k3 = e^-d + d - 1 for
 * d = logprob - reference, nats.
 *
 * @see J. Schulman, Approximating KL divergence, 2020.
 */
export function klTerm(estimator: 'k1' | 'k2' | 'k3', logprob: number, reference: number): Omit<Term, 'clipped'> {
  const d = logprob - reference;
  if (estimator === 'k1') return { loss: d, slope: 1 };
  if (estimator === 'k2') return { loss: (d * d) / 2, slope: d };
  const { ratio, slope } = ratioOf(-d);
  return { loss: ratio + d - 1, slope: 1 - slope };
}

/** The loss of one row: the sum over its trained tokens, coefficients and weight applied. */
function rowLoss(settings: LossSettings, datum: WeightedDatum, logprobs: readonly number[]) {
  const { mask, coefficients, logprobs: old, weight, reference } = datum;
  const gradient = mask.map(() => 0);
  let [loss, kl, clipped, dual] = [0, 0, 0, 0];
  const add = (term: Term, t: number) => {
    loss += term.loss;
    gradient[t]! += term.slope;
    if (term.clipped) clipped += 1;
    if (term.clipped === 'dual') dual += 1;
  };
  const trained = mask.flatMap((each, t) => (each ? [t] : []));
  // The term of a sequence is linear in the sum of its coefficients, each of which stands at one of its tokens.
  const whole = settings.kind === 'gspo' && trained.length > 0 ? sequenceRatio(old, logprobs, mask) : undefined;
  if (whole) {
    const total = trained.reduce((sum, t) => sum + coefficients[t]!, 0);
    const term = ratioTerm(settings, whole, total);
    for (const t of trained) add({ ...term, loss: term.loss / trained.length }, t);
  } else {
    for (const t of trained) add(tokenTerm(settings, old[t]!, logprobs[t]!, coefficients[t]!), t);
  }
  if (settings.kl && reference) {
    for (const t of trained) {
      const term = klTerm(settings.kl.estimator, logprobs[t]!, reference[t]!);
      kl += term.loss;
      loss += settings.kl.coefficient * weight * term.loss;
      gradient[t]! += settings.kl.coefficient * weight * term.slope;
    }
  }
  return { gradient, loss, kl, clipped, dual };
}

/**
 * The loss of an experiment, computed here: for what a service does not have. Metrics are named as the local trainer
 * names them; `kl:sum` is over trained tokens, without coefficient.
 */
export function policyLossAndGradient(settings: LossSettings): LossAndGradient {
  return (logprobs, datums) => {
    const rows = datums.map((datum, row) => rowLoss(settings, datum, logprobs[row]!));
    const sum = (of: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + of(row), 0);
    return {
      gradient: rows.map(({ gradient }) => gradient),
      metrics: {
        'loss:sum': sum(({ loss }) => loss),
        'clipped:sum': sum(({ clipped }) => clipped),
        ...(settings.dualClip !== undefined && { 'dual_clipped:sum': sum(({ dual }) => dual) }),
        ...(settings.kl && { 'kl:sum': sum(({ kl }) => kl) }),
      },
    };
  };
}
