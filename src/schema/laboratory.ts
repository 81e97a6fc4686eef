import * as z from 'zod';
import type { RewardRuleName } from './reward';
import { type Grade, RolloutPlace } from './trajectory';

/** Laboratory → extension host. */
export const FromLaboratory = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('open'), row: z.int().min(0) }),
  z.object({ type: z.literal('export'), format: z.enum(['jsonl', 'csv']) }),
  z.object({ type: z.literal('problem'), message: z.string() }),
]);
export type FromLaboratory = z.infer<typeof FromLaboratory>;

/** A reward rule as a column. */
export interface LaboratoryRule {
  readonly name: RewardRuleName;
  readonly about: string;
  /** The run was trained with it. */
  readonly own: boolean;
  /** `12 of 64 correct, 1 not understood, mean reward −0.61`. */
  readonly total: string;
  readonly share: string;
}

/** A trajectory as a row. */
export interface LaboratoryRow {
  /** Place in the host's list, by which the row is opened. */
  readonly index: number;
  readonly label: string;
  readonly gold: string;
  /** In the last box; null where there is none. */
  readonly predicted: string | null;
  readonly disputed: boolean;
  readonly signs: readonly string[];
  /** In the order of the rules. */
  readonly cells: readonly {
    readonly verdict: Grade['verdict'];
    readonly reward: string;
    readonly reason: string;
  }[];
}

/** Extension host → laboratory. */
export type ToLaboratory =
  | {
      readonly type: 'graded';
      readonly title: string;
      readonly caption: string;
      readonly rules: readonly LaboratoryRule[];
      readonly rows: readonly LaboratoryRow[];
    }
  | { readonly type: 'failed'; readonly message: string };

/** What a panel keeps over a reload of the window. */
export const LaboratoryState = z.object({
  runId: z.string(),
  place: RolloutPlace,
  disputedOnly: z.boolean().optional(),
});
export type LaboratoryState = z.infer<typeof LaboratoryState>;

/** The words of the laboratory, translated by the extension host. */
export interface LaboratoryWords {
  readonly trajectory: string;
  readonly gold: string;
  readonly predicted: string;
  readonly none: string;
  readonly signs: string;
  readonly ruleBeyond: string;
  readonly rulesBeyond: string;
  readonly total: string;
  readonly disputedOnly: string;
  readonly agreement: string;
  readonly exportJsonl: string;
  readonly exportCsv: string;
  readonly more: string;
  readonly open: string;
  readonly ownRule: string;
  readonly correct: string;
  readonly incorrect: string;
  readonly unknown: string;
  readonly table: string;
  readonly keys: string;
  readonly grading: string;
}
