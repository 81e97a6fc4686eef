import type { EvaluationCost } from '../schema/comparison';
import { costOf } from './planUsage';
import type { EndedEvaluation } from './runEvaluations';

/**
 * What the generations of an evaluation came to: tokens, and money where prices of the service are known. As in its plan,
 * every prompt is paid in full. Undefined where the file does not tell its tokens, as imported ones do not.
 */
export function evaluationCost({ report, prices }: EndedEvaluation): EvaluationCost | undefined {
  const { usage } = report;
  if (!usage) return undefined;
  const { prompt, sampled } = usage;
  const money = prices && {
    amount: costOf({ prefill: prompt, cachedPrefill: 0, sampled, trained: 0 }, prices),
    currency: prices.currency,
  };
  return { prompt, sampled, money };
}
