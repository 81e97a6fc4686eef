import type { EvaluationProtocol, EvaluationSubject } from './evaluation';
import type { EvaluationResult, JournalRecord, Metrics, Phase } from './journal';
import type { KernelKind } from './trainerProcess';

/** `interrupted` is never in a journal: it is a run with no end and no live writer. */
export type RunStatus = 'running' | 'completed' | 'stopped' | 'failed' | 'interrupted';

/** What a person has asked of a run that has not come about yet. In no journal. */
export type PendingAction = 'stopping' | 'resuming';

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
  /** Trajectories that it is made of, and how many of them are there. */
  readonly rollouts: number;
  readonly done: number;
  /** Milliseconds since the epoch; undefined where the journal does not say when it began. */
  readonly startedAt: number | undefined;
  /** From its start to the last word of it. */
  readonly seconds: number | undefined;
  /** Undefined while it runs. */
  readonly result: EvaluationResult | undefined;
}

/**
 * `queued` behind another one, `waiting` for a training to end, `stopped` and to be gone on with. What another process
 * makes is `elsewhere`.
 */
export type AskedStatus = 'queued' | 'waiting' | 'running' | 'stopping' | 'elsewhere' | 'stopped' | 'done';

/** An evaluation of a checkpoint that somebody asked for. In no journal: it lies in the run's folder. */
export interface AskedEvaluation {
  readonly id: string;
  /** Name of the data set. */
  readonly dataset: string;
  readonly problems: number;
  readonly samples: number;
  /** How they are sampled; what an imported file does not say is undefined. */
  readonly settings: Pick<EvaluationProtocol, 'mode' | 'temperature' | 'topP' | 'topK' | 'seed'>;
  readonly subject: EvaluationSubject;
  /** As it was asked for: a name, or the whole path of a file. */
  readonly source: string | undefined;
  readonly status: AskedStatus;
  /** Generations that are there, and all of them. */
  readonly done: number;
  readonly all: number;
  readonly secondsLeft?: number | undefined;
  /** Of one in the queue: 1 is made next. */
  readonly place?: number | undefined;
  /** Since when the training service, which is waited for, does not answer. Milliseconds since 1970. */
  readonly silentSince?: number | undefined;
  /** Shares 0..1, with the 95 % interval over problems; null where they are too few, undefined where it is not told. */
  readonly result?:
    | {
        readonly average: number;
        readonly interval: { readonly low: number; readonly high: number } | null | undefined;
      }
    | undefined;
}

/** When a run will have ended. */
export interface Forecast {
  /** Until the whole run ends: steps of both phases and evaluations. */
  readonly seconds: number;
  /** True while the reinforcement, or an evaluation, is judged by the pace of something else. */
  readonly rough: boolean;
}

/** How much there is to do: of each phase in steps, and of what in each. Undefined where an old journal does not say. */
export interface RunPlan {
  readonly coldStart: number;
  readonly reinforcement: number;
  readonly demonstrationsPerStep: number | undefined;
  readonly rolloutsPerStep: number | undefined;
  readonly evaluationRollouts: number | undefined;
  /** Steps between two evaluations within the reinforcement; undefined where there are none. */
  readonly evaluateEvery?: number | undefined;
}

/** What every view shows of a run: the fold of its journal. */
export interface RunState {
  readonly id: string;
  readonly folder: string;
  readonly name: string;
  readonly seq: number;
  readonly status: RunStatus;
  readonly pending: PendingAction | undefined;
  /** Why it failed or what to do, when it did. */
  readonly message: string | undefined;
  readonly hint: string | undefined;
  readonly seed: number;
  readonly attempt: number;
  readonly startedAt: number | undefined;
  readonly updatedAt: number | undefined;
  /** Time in which it was trained: what lay between an attempt and the next is left out. */
  readonly activeSeconds: number;
  readonly plan: RunPlan;
  readonly phase: Phase;
  /** Steps done in the current phase. */
  readonly step: number;
  readonly points: readonly StepPoint[];
  /** Kept ones only, oldest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** By id: `before`, `after` and later ones. A running one has no result yet. */
  readonly evaluations: Readonly<Record<string, EvaluationState>>;
  /** Oldest first. */
  readonly asked: readonly AskedEvaluation[];
  readonly notices: readonly Notice[];
  /** Since when the training service, which is waited for, does not answer. Milliseconds since 1970. */
  readonly silentSince: number | undefined;
  /** What the local trainer computed with last. */
  readonly kernels: KernelKind | undefined;
  readonly facts: Extract<JournalRecord, { kind: 'started' }> | undefined;
  /** Lines of the journal that could not be read. */
  readonly skipped: number;
}
