/** Where a figure comes from: the experiment's `plan`, an earlier run, demonstrations, or nowhere. */
export type PlanSource = 'plan' | 'run' | 'demonstrations' | 'assumption';

export interface Sourced {
  readonly value: number;
  readonly from: PlanSource;
}

/** What a trajectory is expected to come to. Tokens are means. */
export interface PlanBasis {
  /** Share of right answers, 0..1. */
  readonly accuracy: Sourced;
  /** Tokens of the prompts of the training set. */
  readonly prompt: { readonly shortest: number; readonly mean: number; readonly longest: number };
  /** Tokens that the model writes per trajectory, all turns together. */
  readonly response: Sourced;
  /** Code executions per trajectory. */
  readonly calls: Sourced;
  /** Tokens that a call adds to the sequence: its output and what stands around it. */
  readonly added: Sourced;
  /** The earlier run that figures were taken from. */
  readonly run: string | undefined;
}

/** How much of everything. Tokens are those that a service counts. */
export interface Usage {
  readonly trajectories: number;
  /** Turns of the model: requests to sample. */
  readonly modelCalls: number;
  readonly toolCalls: number;
  /** Prompt tokens that the service has not seen before, one prompt for each turn. */
  readonly prefill: number;
  /** Prompt tokens that it has, if it keeps every prefix: of earlier turns, and of the group's other trajectories. */
  readonly cachedPrefill: number;
  readonly sampled: number;
  /** Tokens of the rows that are trained on, prompts and output included; passes without a gradient are counted too. */
  readonly trained: number;
}

export interface Range<T> {
  readonly typical: T;
  readonly most: T;
}

/** Settings that keep a run from beginning (`error`), harm it (`warning`), or may surprise (`info`). */
export interface PlanProblem {
  readonly level: 'error' | 'warning' | 'info';
  /** The field. */
  readonly path: readonly (string | number)[];
  /** Of `planProblemWords`; its numbers and names are `values`. */
  readonly sentence: string;
  readonly values: readonly (string | number)[];
}

/** What a run will need, before it starts. */
export interface Plan {
  readonly basis: PlanBasis;
  readonly step: Range<Usage>;
  /** All evaluations together. */
  readonly evaluation: Range<Usage>;
  readonly coldStart: Range<Usage>;
  /** All of it. */
  readonly run: Range<Usage>;
  /** Optimizer steps of the whole run, at most. */
  readonly updates: number;
  readonly group: {
    readonly size: number;
    /** Chance that its answers are all right or all wrong, 0..1. */
    readonly degenerate: number;
    /** The smallest size with half of that chance; undefined where there is none of up to 1,024. */
    readonly halvedBy: number | undefined;
    /** Share of such groups in the earlier run. */
    readonly measured: number | undefined;
  };
  /** Batches of problems that a step asks for on average, with dynamic sampling. */
  readonly batches: number | undefined;
  readonly money:
    | {
        readonly currency: string;
        readonly step: Range<number>;
        readonly run: Range<number>;
        readonly cap: number | undefined;
      }
    | undefined;
  /** By the pace of the earlier run. */
  readonly seconds: { readonly step: number; readonly run: number | undefined } | undefined;
  readonly problems: readonly PlanProblem[];
}
