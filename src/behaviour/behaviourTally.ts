import { isLost } from '../rl/metrics';
import type { Trajectory } from '../schema/trajectory';
import { usualSimilarity } from './similarity';
import { addSums, noSums, type Sums, trajectoryBehaviour } from './trajectoryBehaviour';

/** A correction to look at. */
export interface CorrectionExample {
  readonly problemId: string;
  readonly branch: number;
  readonly verdict: Trajectory['grade']['verdict'];
  /** Numbers of the turns, from 1. */
  readonly failedTurn: number;
  readonly correctedTurn: number;
  readonly similarity: number;
  /** What the failed call was told last, and how it ended. */
  readonly failure: string;
  readonly failedCode: string;
  readonly correctedCode: string;
}

export interface Behaviour {
  readonly all: Sums;
  readonly correct: Sums;
  readonly incorrect: Sums;
  /** Trajectories left out because sandbox or service failed, or a filter of the service withheld the answer. */
  readonly infrastructure: number;
  /** In the order of the trajectories; the first ones alone. */
  readonly corrections: readonly CorrectionExample[];
}

/** Corrections that are kept to be looked at. */
export const mostExamples = 500;

/** Adds up what trajectories did. */
export class BehaviourTally {
  private readonly least: number;
  private readonly sums = { all: noSums, correct: noSums, incorrect: noSums };
  private readonly corrections: CorrectionExample[] = [];
  private infrastructure = 0;

  /** @param least similarity of two calls of which the later is a correction, 0..1. */
  constructor(least = usualSimilarity) {
    this.least = least;
  }

  add(trajectory: Trajectory): void {
    if (isLost(trajectory)) {
      this.infrastructure += 1;
      return;
    }
    const { problemId, branch, turns, grade } = trajectory;
    const { sums, corrections } = trajectoryBehaviour(trajectory, this.least);
    const sides = grade.verdict === 'unknown' ? (['all'] as const) : (['all', grade.verdict] as const);
    for (const side of sides) this.sums[side] = addSums(this.sums[side], sums);
    for (const { failed, corrected, similarity } of corrections.slice(0, mostExamples - this.corrections.length)) {
      const { status = 'error', stderr = '' } = turns[failed.turn]?.result ?? {};
      const told = stderr.trim().split('\n').at(-1)?.trim();
      this.corrections.push({
        problemId,
        branch,
        verdict: grade.verdict,
        failedTurn: failed.turn + 1,
        correctedTurn: corrected.turn + 1,
        similarity,
        failure: status === 'error' && told ? told : status,
        failedCode: failed.code,
        correctedCode: corrected.code,
      });
    }
  }

  result(): Behaviour {
    return { ...this.sums, infrastructure: this.infrastructure, corrections: this.corrections };
  }
}
