import * as z from 'zod';
import type { DashboardWords } from './dashboardWords';
import { RolloutPlace } from './trajectory';

/** Behaviour page → extension host. */
export const FromBehaviour = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('openPlace'), place: RolloutPlace }),
  z.object({ type: z.literal('open'), place: RolloutPlace, problemId: z.string(), branch: z.int().min(0) }),
  z.object({ type: z.literal('problem'), message: z.string() }),
]);
export type FromBehaviour = z.infer<typeof FromBehaviour>;

/** A measure as the page shows it. */
export interface BehaviourMeasure {
  readonly name: string;
  readonly form: 'share' | 'count';
  readonly label: string;
}

type Values = Readonly<Record<string, number | null>>;

/** A failed call and what corrected it. */
export interface BehaviourCorrection {
  readonly problemId: string;
  readonly branch: number;
  readonly verdict: 'correct' | 'incorrect' | 'unknown';
  readonly failedTurn: number;
  readonly correctedTurn: number;
  readonly similarity: number;
  readonly failure: string;
}

/** A step or an evaluation. */
export interface BehaviourRow {
  readonly place: RolloutPlace;
  readonly all: Values;
  readonly correct: Values;
  readonly incorrect: Values;
  /** Trajectories of each. */
  readonly counts: { readonly all: number; readonly correct: number; readonly incorrect: number };
  readonly leftOut: number;
  readonly corrections: readonly BehaviourCorrection[];
}

/** Thread → extension host → page. */
export type ToBehaviour =
  | { readonly type: 'planned'; readonly places: number; readonly stored: number }
  | { readonly type: 'row'; readonly row: BehaviourRow }
  | { readonly type: 'ended'; readonly cancelled: boolean }
  | { readonly type: 'failed'; readonly message: string };

/** What a panel keeps over a reload of the window. Without a place it is about the steps of the run. */
export const BehaviourState = z.object({ runId: z.string(), place: RolloutPlace.optional() });
export type BehaviourState = z.infer<typeof BehaviourState>;

/** The words of the page, translated by the extension host; charts take theirs from the dashboard. */
export interface BehaviourWords extends DashboardWords {
  readonly behaviour: {
    readonly reading: string;
    readonly readingOf: string;
    readonly cancel: string;
    readonly cancelled: string;
    readonly sampled: string;
    readonly counts: string;
    readonly notUnderstood: string;
    readonly leftOut: string;
    readonly chartHelp: string;
    readonly measure: string;
    readonly all: string;
    readonly right: string;
    readonly wrong: string;
    readonly purpose: string;
    readonly corrections: string;
    readonly noCorrections: string;
    readonly correction: string;
    readonly placeOf: string;
    readonly openAll: string;
    readonly more: string;
    /** By the metric: written at the ends of lines that share a chart. */
    readonly lines: Readonly<Record<string, string>>;
  };
}
