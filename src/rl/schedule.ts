export interface Schedule {
  readonly learningRate: number;
  readonly warmupSteps: number;
  readonly decayFraction: number;
  readonly finalFraction: number;
}

/**
 * Learning rate of a step: a linear rise over the warm-up, the peak, a linear fall over the last `decayFraction`.
 *
 * @param step from 1 to `steps`.
 */
export function learningRateAt(schedule: Schedule, step: number, steps: number): number {
  const { learningRate, warmupSteps, decayFraction, finalFraction } = schedule;
  const rise = warmupSteps > 0 ? Math.min(1, step / warmupSteps) : 1;
  const decaySteps = steps * decayFraction;
  const done = decaySteps > 0 ? Math.max(0, (step - 1 - (steps - decaySteps)) / decaySteps) : 0;
  return learningRate * rise * (1 - done * (1 - finalFraction));
}
