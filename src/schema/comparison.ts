import * as z from 'zod';

/** Whose evaluations are compared: those of a run with what was imported beside it, or those of a folder alone. */
export const ComparisonSource = z.union([
  z.strictObject({ runId: z.string() }),
  z.strictObject({ folder: z.string() }),
]);
export type ComparisonSource = z.infer<typeof ComparisonSource>;

/** What a person chooses to see. */
export const ComparisonChoice = z.object({
  dataset: z.string().optional(),
  /** Id of the evaluation that the others are compared with. */
  baseline: z.string().optional(),
  /** Also shows evaluations that were asked otherwise than the baseline. */
  unlike: z.boolean().optional(),
});
export type ComparisonChoice = z.infer<typeof ComparisonChoice>;

/**
 * `comparison`: bars, differences and heat map. `checkpoints`: the figure of the PyTRIO reference, average and pass as
 * bars, format as a line.
 */
export const ComparisonFigure = z.enum(['comparison', 'checkpoints']);
export type ComparisonFigure = z.infer<typeof ComparisonFigure>;

/** Comparison view → extension host. */
export const FromComparison = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), choice: ComparisonChoice }),
  z.object({ type: z.literal('choose'), choice: ComparisonChoice }),
  z.object({
    type: z.literal('open'),
    evaluation: z.string(),
    problem: z.string().optional(),
    /** Opens the first trajectory of the problem that is right, or wrong. */
    wants: z.enum(['correct', 'incorrect']).optional(),
  }),
  z.object({ type: z.literal('evaluate') }),
  z.object({ type: z.literal('copy'), hidden: z.array(z.string()) }),
  z.object({ type: z.literal('export'), hidden: z.array(z.string()) }),
  z.object({ type: z.literal('picture'), figure: ComparisonFigure, base64: z.string() }),
  z.object({ type: z.literal('problem'), message: z.string() }),
]);
export type FromComparison = z.infer<typeof FromComparison>;

interface Span {
  readonly low: number;
  readonly high: number;
}

/** What an evaluation came to. Tokens; money where prices are known. */
export interface EvaluationCost {
  /** Of the prompts of all turns together. */
  readonly prompt: number;
  readonly sampled: number;
  readonly money: { readonly amount: number; readonly currency: string } | undefined;
}

/** An evaluation as a row. Shares are 0..1; undefined where it cannot be told. */
export interface ComparedRow {
  readonly id: string;
  readonly label: string;
  /** How it was asked otherwise than the baseline, a few words each; its label then carries a mark. */
  readonly otherwise: readonly string[];
  /** By field of the protocol, where the rows differ: what this one was asked. */
  readonly asked: Readonly<Record<string, string | number>>;
  /** What it belongs to, where that is known. */
  readonly origin: { readonly run: string; readonly experiment: string } | undefined;
  readonly model: string;
  /** The model or the file, where that says more than the label. */
  readonly note: string;
  readonly samples: number;
  readonly average: number | undefined;
  readonly interval: Span | undefined;
  /** Of the average, to the baseline; undefined for the baseline itself, and where the problems are others. */
  readonly paired: (Span & { readonly difference: number }) | undefined;
  readonly pass: number | undefined;
  readonly format: number | undefined;
  readonly codeCalls: number | undefined;
  readonly turns: number | undefined;
  readonly correct: number;
  readonly generations: number;
  readonly cost: EvaluationCost | undefined;
  /** Generations lost to sandbox or service. */
  readonly infrastructure: number;
  /** Why the numbers say little, a sentence each. */
  readonly cautions: readonly string[];
  /** Correct samples and samples, in the order of the problems; undefined where it has none of a problem. */
  readonly counts: readonly ({ readonly correct: number; readonly samples: number } | undefined)[];
  /** Ids of the problems of which the baseline solved no sample and this some; and the other way round. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
}

/** Evaluations of one data set beside each other. */
export interface ComparisonModel {
  readonly dataset: string;
  readonly datasets: readonly string[];
  /** `30 problems × 12 samples`, then how it was asked. */
  readonly facts: readonly string[];
  /** Id. */
  readonly baseline: string;
  /** The name of the baseline among all of the data set. */
  readonly baselineName: string;
  /** All that may be the baseline, by what can be compared. */
  readonly groups: readonly {
    readonly title: string;
    readonly members: readonly { readonly id: string; readonly label: string }[];
  }[];
  /** Runs, experiments and models. */
  readonly origins: readonly string[];
  /** n, where it is the same in all rows. */
  readonly samples: number | undefined;
  readonly rows: readonly ComparedRow[];
  /** What was asked otherwise than the baseline, and is not among the rows; or is, and is marked. */
  readonly unlike: readonly {
    readonly id: string;
    readonly label: string;
    readonly fields: readonly string[];
    readonly shown: boolean;
  }[];
  /** In the order of `counts`: those first of which the baseline solved most, then by what all solved. */
  readonly problems: readonly { readonly id: string; readonly label: string; readonly question: string }[];
  /** Runs, seeds, how intervals were made. */
  readonly caption: string;
  /** Without what is said of intervals, for figures that draw none. */
  readonly briefCaption: string;
}

/** Extension host → comparison view. */
export type ToComparison =
  | {
      readonly type: 'compared';
      readonly model: ComparisonModel;
      readonly canEvaluate: boolean;
      /** What could not be read, a sentence for each file. */
      readonly broken: readonly string[];
    }
  | { readonly type: 'draw'; readonly figure: ComparisonFigure; readonly hidden: readonly string[] }
  | { readonly type: 'failed'; readonly message: string };

/** What a panel keeps over a reload of the window. */
export const ComparisonState = z.object({
  source: ComparisonSource,
  choice: ComparisonChoice,
  /** Ids of the evaluations whose box is not checked. */
  hidden: z.array(z.string()),
});
export type ComparisonState = z.infer<typeof ComparisonState>;
