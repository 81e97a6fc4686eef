import { shareOf } from '../evaluation/estimators';
import { type PairedDifference, pairedDifference } from '../evaluation/pairedDifference';
import { supports } from '../evaluation/supports';
import { RetoolError } from '../lib/errors';
import { type ProtocolDifference, protocolDifferences } from './evaluationProtocol';
import type { ProblemScore } from './evaluationReport';
import type { EndedEvaluation } from './runEvaluations';

/** One evaluation beside the baseline. */
export interface ComparedEvaluation {
  readonly evaluation: EndedEvaluation;
  /** Undefined for the baseline itself, and where the problems are others. */
  readonly paired: PairedDifference | undefined;
  /** Why the difference says nothing, in a sentence. */
  readonly caution: string | undefined;
  /** Fields in which its protocol differs from the baseline's. */
  readonly differences: readonly ProtocolDifference[];
  /** Problems of which the baseline solved no sample and this some; and the other way round. */
  readonly gained: readonly ProblemScore[];
  readonly lost: readonly ProblemScore[];
}

export interface Comparison {
  readonly baseline: EndedEvaluation;
  readonly evaluations: readonly ComparedEvaluation[];
  /** Ids of the problems of the baseline, those first of which it solved most, then by what all solved. */
  readonly order: readonly string[];
}

/**
 * Compares evaluations of the same problems.
 *
 * @param baseline id of the one that the others are compared with.
 * @throws RetoolError `usage` where there is no such evaluation.
 */
export function compareEvaluations(all: readonly EndedEvaluation[], baseline: string): Comparison {
  const first = all.find(({ id }) => id === baseline);
  if (!first) throw new RetoolError('usage', `There is no evaluation "${baseline}" among those to compare.`);
  const evaluations = all.map((evaluation) => compared(first, evaluation));
  const totals = new Map<string, number>();
  for (const { report } of all) {
    for (const { id, correct } of report.problems) totals.set(id, (totals.get(id) ?? 0) + correct);
  }
  const order = first.report.problems
    .map(({ id, correct }, index) => ({ id, correct, total: totals.get(id)!, index }))
    .sort((a, b) => b.correct - a.correct || b.total - a.total || a.index - b.index)
    .map(({ id }) => id);
  return { baseline: first, evaluations, order };
}

function compared(baseline: EndedEvaluation, evaluation: EndedEvaluation): ComparedEvaluation {
  const differences = protocolDifferences(baseline.protocol, evaluation.protocol);
  const nothing = { evaluation, paired: undefined, caution: undefined, differences, gained: [], lost: [] };
  if (baseline === evaluation) return nothing;
  const [before, after] = [scored(baseline), scored(evaluation)];
  // Sets of one name may have other problems under the same ids.
  const both = [...before.keys()].filter((id) => after.get(id)?.question === before.get(id)!.question);
  if (both.length === 0 || baseline.report.problems.length !== evaluation.report.problems.length) return nothing;
  const shares = (side: ReadonlyMap<string, ProblemScore>) => new Map(both.map((id) => [id, shareOf(side.get(id)!)]));
  const paired = pairedDifference(shares(before), shares(after));
  const judged = supports({ kind: 'difference', paired });
  const solved = (score: ProblemScore | undefined) => (score?.correct ?? 0) > 0;
  return {
    ...nothing,
    paired,
    caution: judged.supported ? undefined : judged.reason,
    gained: both.filter((id) => !solved(before.get(id)) && solved(after.get(id))).map((id) => after.get(id)!),
    lost: both.filter((id) => solved(before.get(id)) && !solved(after.get(id))).map((id) => after.get(id)!),
  };
}

/** By id; problems of which every sample was lost say nothing. */
const scored = ({ report }: EndedEvaluation): ReadonlyMap<string, ProblemScore> =>
  new Map(report.problems.filter(({ samples }) => samples > 0).map((problem) => [problem.id, problem]));
