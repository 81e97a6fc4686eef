/** One turn of a trace: seconds of sampling, then of its code; null where it calls none and ends the trajectory. */
interface TracedTurn {
  readonly model: number;
  readonly sandbox: number | null;
}

/** The turns of one branch of one problem. */
export interface TracedTrajectory {
  readonly problem: number;
  readonly branch: number;
  readonly turns: readonly TracedTurn[];
}

/** How many samples and executions may be in flight at once. */
export interface Slots {
  readonly model: number;
  readonly sandbox: number;
}

/** Lets that many seconds of the trace pass. */
export type Wait = (seconds: number) => Promise<void>;

/** @returns the trajectories of each step. */
export const readTrace = (text: string): TracedTrajectory[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { trajectories: TracedTrajectory[] }).trajectories);
