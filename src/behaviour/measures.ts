import { purposes } from './purpose';
import type { Sums } from './trajectoryBehaviour';

/** How a value is written: a share of 1, a position in the response as a share of it, or a count. */
export type MeasureForm = 'share' | 'count';

export interface Measure {
  readonly name: string;
  readonly form: MeasureForm;
  readonly of: (sums: Sums) => readonly [numerator: number, denominator: number];
}

const measure = (name: string, form: MeasureForm, of: Measure['of']): Measure => ({ name, form, of });

/** Every measure, in the order in which it is shown. docs/behaviour.md defines them. */
export const measures: readonly Measure[] = [
  measure('response_tokens', 'count', (s) => [s.sampledTokens, s.trajectories]),
  measure('response_tokens_with_output', 'count', (s) => [s.sampledTokens + s.addedTokens, s.trajectories]),
  measure('code_ratio', 'share', (s) => [s.withCall, s.trajectories]),
  measure('calls', 'count', (s) => [s.calls, s.trajectories]),
  measure('successful_calls', 'count', (s) => [s.succeeded, s.trajectories]),
  measure('pass_rate', 'share', (s) => [s.succeeded, s.executed]),
  measure('code_lines', 'count', (s) => [s.lines, s.calls]),
  measure('code_lines_stripped', 'count', (s) => [s.strippedLines, s.calls]),
  measure('first_call', 'share', (s) => [s.firstCall, s.timed]),
  measure('executed_ratio', 'share', (s) => [s.executed, s.calls]),
  measure('before_answer_ratio', 'share', (s) => [s.beforeAnswer, s.placed]),
  measure('answer_from_output', 'share', (s) => [s.fromOutput, s.answered]),
  measure('self_correction', 'share', (s) => [s.corrected, s.failed]),
  measure('self_correcting', 'share', (s) => [s.withCorrection, s.withFailure]),
  measure('repeated_code', 'share', (s) => [s.repeated, s.calls]),
  measure('void_turns', 'share', (s) => [s.voidTurns, s.turns]),
  measure('with_void_turn', 'share', (s) => [s.withVoidTurn, s.trajectories]),
  ...purposes.map((purpose) => measure(`purpose/${purpose}`, 'share', (s) => [s.purposes[purpose], s.calls])),
];

/** Null where there is nothing to divide by. */
export function measured({ of }: Measure, sums: Sums): number | null {
  const [numerator, denominator] = of(sums);
  return denominator > 0 ? numerator / denominator : null;
}

/** Every measure by its name. */
export const valuesOf = (sums: Sums): Readonly<Record<string, number | null>> =>
  Object.fromEntries(measures.map((each) => [each.name, measured(each, sums)]));
