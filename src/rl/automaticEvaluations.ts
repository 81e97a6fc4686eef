import { evaluationsWithin } from '../lib/evaluationsWithin';
import type { Experiment } from '../schema/experiment';
import type { EvaluationResult, Metrics } from '../schema/journal';
import { checkpointName } from './checkpoints';

/** Tokens that the reinforcement has sampled so far; counted where evaluations have a share of them. */
export const totalSampled = 'rollout/total_sampled_tokens';
/** Share correct of the evaluation between the step before and this one: of the weights that this step sampled with. */
export const evaluationMetric = 'evaluation/correct';

const idAt = (step: number): string => checkpointName('reinforcement', step);

/** Steps between two evaluations within the reinforcement; 0 where there are none. */
export const stepsBetween = ({ evaluation, checkpoints }: Experiment): number =>
  evaluation.everyCheckpoints * checkpoints.keepEvery;

/** How many there are in a whole run: that of the last step is the one after it. */
export function automaticCount(experiment: Experiment): number {
  return evaluationsWithin(experiment.reinforcement.steps, stepsBetween(experiment));
}

/**
 * Evaluations at every k-th checkpoint that is kept, on a budget of tokens. All of it follows from what the journal
 * says, so that a resumed run decides alike.
 */
export class AutomaticEvaluations {
  private readonly experiment: Experiment;
  private readonly results: Map<string, EvaluationResult>;

  /** @param results of all evaluations so far, by id; grows with {@link add}. */
  constructor(experiment: Experiment, results: ReadonlyMap<string, EvaluationResult>) {
    this.experiment = experiment;
    this.results = new Map(results);
  }

  /** The evaluation before the reinforcement. */
  get before(): EvaluationResult | undefined {
    return this.results.get('before');
  }

  add(id: string, result: EvaluationResult): void {
    this.results.set(id, result);
  }

  /** @param totals metrics of the step. @returns the evaluation that is due after it, and whether the budget has room for it. */
  at(step: number, totals: Metrics): { readonly id: string; readonly overBudget: string | undefined } | undefined {
    const every = stepsBetween(this.experiment);
    const { reinforcement, evaluation } = this.experiment;
    if (every === 0 || step === 0 || step % every !== 0 || step >= reinforcement.steps) return undefined;
    const id = idAt(step);
    const earlier = [...this.results]
      .filter(([known]) => isAutomatic(known) && known !== id)
      .map(([, result]) => result);
    const spent = earlier.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
    // The next one takes what the last one took.
    const next = (earlier.at(-1) ?? this.before)?.tokens ?? 0;
    const share = (spent + next) / Math.max(1, totals[totalSampled] ?? 0);
    if (share <= evaluation.budgetShare) return { id, overBudget: undefined };
    const [would, may] = [share, evaluation.budgetShare].map((each) => `${Math.round(each * 100)} %`);
    return {
      id,
      overBudget: `The evaluation of step ${step} is left out: with it evaluations would have taken ${would} of the tokens that the reinforcement has sampled, and evaluation.budgetShare is ${may}.`,
    };
  }

  /** What the step after `step` says of the evaluation between them. */
  metrics(step: number): Metrics {
    const result = this.results.get(idAt(step));
    return result ? { [evaluationMetric]: result.correct } : {};
  }
}

const isAutomatic = (id: string): boolean => id.startsWith('step-');
