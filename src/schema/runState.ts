import type { EvaluationResult, JournalRecord, Metrics, Phase } from './journal';
import type { KernelKind } from './trainerProcess';

/** `interrupted` is never in a journal: it is a run with no end and no live writer. */
export type RunStatus = 'running' | 'completed' | 'stopped' | 'failed' | 'interrupted';

export interface StepPoint {
  readonly phase: Phase;
  readonly step: number;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly metrics: Metrics;
}

export interface Checkpoint {
  readonly phase: Phase;
  readonly step: number;
  readonly path: string;
  readonly time: number;
}

export interface Notice {
  readonly phase: Phase;
  readonly step: number;
  readonly level: 'info' | 'warning';
  readonly message: string;
}

export interface EvaluationState {
  readonly phase: Phase;
  readonly step: number;
  /** Undefined while it runs. */
  readonly result: EvaluationResult | undefined;
}

/** What every view shows of a run: the fold of its journal. */
export interface RunState {
  readonly id: string;
  readonly folder: string;
  readonly name: string;
  readonly seq: number;
  readonly status: RunStatus;
  /** Why it failed or what to do, when it did. */
  readonly message: string | undefined;
  readonly hint: string | undefined;
  readonly seed: number;
  readonly attempt: number;
  readonly startedAt: number | undefined;
  readonly updatedAt: number | undefined;
  readonly plan: { readonly coldStart: number; readonly reinforcement: number };
  readonly phase: Phase;
  /** Steps done in the current phase. */
  readonly step: number;
  readonly points: readonly StepPoint[];
  /** Kept ones only, oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** By id: `before`, `after` and later ones. A running one has no result yet. */
  readonly evaluations: Readonly<Record<string, EvaluationState>>;
  readonly notices: readonly Notice[];
  /** What the local trainer computed with last. */
  readonly kernels: KernelKind | undefined;
  readonly facts: Extract<JournalRecord, { kind: 'started' }> | undefined;
  /** Lines of the journal that could not be read. */
  readonly skipped: number;
}
