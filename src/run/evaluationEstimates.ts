import { averageAtN, majorityAtN, passAtK, powersOfTwo, type Score, shareOf } from '../evaluation/estimators';
import { meanOf, standardError } from '../evaluation/problemInterval';
import { shareInterval } from '../evaluation/shareInterval';
import { type Claim, supports } from '../evaluation/supports';
import { isCorrect } from '../rl/metrics';
import type { Trajectory } from '../schema/trajectory';

/**
 * What the summary of an evaluation file estimates: `average_at_n` and `pass_at_n` of the PyTRIO reference, then
 * `pass_at_k` by k (1, 2, 4 .. n), `majority_at_n`, standard error and 95 % interval over problems. What samples or
 * problems are too few for is left out or null, and `not_supported` says why.
 *
 * @param groups the trajectories of each problem that count.
 */
export function evaluationEstimates(groups: readonly (readonly Trajectory[])[]) {
  const problems = groups.filter((group) => group.length > 0);
  if (problems.length === 0) return { average_at_n: 0, pass_at_n: 0 };
  const scores = problems.map((group): Score => ({ samples: group.length, correct: group.filter(isCorrect).length }));
  const notSupported: string[] = [];
  const supported = (claim: Claim) => {
    const judged = supports(claim);
    if (!judged.supported) notSupported.push(judged.reason);
    return judged.supported;
  };
  const most = scores.reduce((n, { samples }) => Math.max(n, samples), 0);
  const ks = powersOfTwo(most).filter((k) => supported({ kind: 'passAtK', scores, k }));
  const shares = scores.map(shareOf);
  return {
    average_at_n: averageAtN(scores),
    pass_at_n: meanOf(scores.map((score) => passAtK(score, score.samples))),
    pass_at_k: Object.fromEntries(ks.map((k) => [k, meanOf(scores.map((score) => passAtK(score, k)))])),
    majority_at_n: meanOf(problems.map((group) => majorityAtN(group.map(voteOf)))),
    standard_error: standardError(shares) ?? null,
    interval: supported({ kind: 'interval', values: shares }) ? shareInterval(shares) : null,
    not_supported: notSupported,
  };
}

const voteOf = (trajectory: Trajectory) => ({ answer: trajectory.grade.predicted, correct: isCorrect(trajectory) });
