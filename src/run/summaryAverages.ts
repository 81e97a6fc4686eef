import { averageAtN, type Score } from '../evaluation/estimators';
import { isLost } from '../rl/metrics';
import type { EvaluatedProblem, EvaluationSummary } from '../schema/evaluation';

const fields = ['average_at_n', 'pass_at_n', 'format_rate', 'mean_code_calls', 'mean_turns'] as const;
type Field = (typeof fields)[number];

/** How far a summary may be from its lines: shares are rounded to three places or more, counts to two. */
const rounding: Readonly<Record<Field, number>> = {
  average_at_n: 6e-4,
  pass_at_n: 6e-4,
  format_rate: 6e-4,
  mean_code_calls: 6e-3,
  mean_turns: 6e-3,
};

/** What the lines of an evaluation make of the averages of its summary. */
export class Averages {
  private readonly scores: Score[] = [];
  private readonly sums = { all: 0, format_rate: 0, mean_code_calls: 0, mean_turns: 0 };

  add({ generations }: EvaluatedProblem): void {
    const counted = generations.filter(({ trajectory }) => !trajectory || !isLost(trajectory));
    const correct = counted.filter((generation) => generation.correct).length;
    if (counted.length > 0) this.scores.push({ samples: counted.length, correct });
    for (const { formatted, code_calls: calls, turns } of generations) {
      this.sums.all += 1;
      this.sums.format_rate += Number(formatted);
      this.sums.mean_code_calls += calls;
      this.sums.mean_turns += turns;
    }
  }

  /** Says in a sentence without its place where a summary has other averages; undefined where it has not. */
  otherThan(summary: EvaluationSummary): string | undefined {
    const made = this.values();
    const other = fields.filter((field) => Math.abs(summary[field] - made[field]) > rounding[field]);
    if (other.length === 0) return undefined;
    const said = other.map((field) => `${field} ${summary[field]} where its lines make ${shortened(made[field])}`);
    return `the summary says ${said.join(', ')}; the lines count.`;
  }

  private values(): Readonly<Record<Field, number>> {
    const { scores, sums } = this;
    const mean = (sum: number) => (sums.all > 0 ? sum / sums.all : 0);
    const passed = scores.filter(({ correct }) => correct > 0).length;
    return {
      average_at_n: scores.length > 0 ? averageAtN(scores) : 0,
      pass_at_n: scores.length > 0 ? passed / scores.length : 0,
      format_rate: mean(sums.format_rate),
      mean_code_calls: mean(sums.mean_code_calls),
      mean_turns: mean(sums.mean_turns),
    };
  }
}

const shortened = (value: number): number => Number(value.toFixed(4));
