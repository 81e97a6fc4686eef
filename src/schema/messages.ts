import * as z from 'zod';
import type { EvaluationResult, Phase } from './journal';
import type { Checkpoint, Forecast, Notice, PendingAction, RunStatus, StepPoint } from './runState';

/** Dashboard → extension host. */
export const FromDashboard = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('openStep'), step: z.int() }),
  z.object({ type: z.literal('act'), action: z.enum(['stop', 'resume', 'showLog', 'manageTrust']) }),
  z.object({ type: z.literal('problem'), message: z.string() }),
]);
export type FromDashboard = z.infer<typeof FromDashboard>;

export interface EvaluationRow {
  readonly id: string;
  readonly phase: Phase;
  readonly step: number;
  /** Trajectories that it is made of, and how many of them are there. */
  readonly rollouts: number;
  readonly done: number;
  readonly result: EvaluationResult | null;
}

/** A run without its points: small enough to be sent with every message. */
export interface RunHead {
  readonly name: string;
  readonly status: RunStatus;
  readonly phase: Phase;
  readonly step: number;
  readonly total: number;
  readonly pending: PendingAction | null;
  readonly startedAt: number | null;
  readonly activeSeconds: number;
  /** Until the whole run ends. */
  readonly left: Forecast | null;
  /** The evaluation that is under way. */
  readonly evaluating: { readonly done: number; readonly rollouts: number } | null;
  readonly message: string | null;
  readonly hint: string | null;
  readonly checkpoints: readonly Pick<Checkpoint, 'phase' | 'step'>[];
  readonly evaluations: readonly EvaluationRow[];
  readonly notices: readonly Notice[];
  readonly skipped: number;
  readonly trusted: boolean;
  /** True when this window may stop it. */
  readonly own: boolean;
}

/**
 * Extension host → dashboard. `seq` numbers the messages to one panel; an `append` fits only a panel whose last was
 * `from`.
 */
export type ToDashboard =
  | {
      readonly type: 'snapshot';
      readonly seq: number;
      readonly run: RunHead;
      readonly points: readonly StepPoint[];
      readonly smoothing: number;
    }
  | {
      readonly type: 'append';
      readonly from: number;
      readonly seq: number;
      readonly run: RunHead;
      readonly points: readonly StepPoint[];
    }
  | { readonly type: 'gone' };

/** What a panel keeps over a reload of the window. */
export const DashboardState = z.object({
  folder: z.string(),
  smoothing: z.number().optional(),
  raw: z.boolean().optional(),
  axis: z.enum(['step', 'time']).optional(),
  table: z.boolean().optional(),
  more: z.boolean().optional(),
});
export type DashboardState = z.infer<typeof DashboardState>;
