/** Largest group that an experiment may have. */
const largestGroup = 1024;

/**
 * Chance that all answers of a group are right, or all wrong: p^G + (1 − p)^G. Every problem is taken to be as hard as
 * the others; where they differ, more groups are alike.
 *
 * @param accuracy p, 0..1.
 */
export const degenerateChance = (accuracy: number, groupSize: number): number =>
  accuracy ** groupSize + (1 - accuracy) ** groupSize;

/** The smallest group size that has half of that chance or less; undefined where none of up to 1,024 has. */
export function sizeThatHalves(accuracy: number, groupSize: number): number | undefined {
  const half = degenerateChance(accuracy, groupSize) / 2;
  for (let size = groupSize + 1; size <= largestGroup; size++) {
    if (degenerateChance(accuracy, size) <= half) return size;
  }
  return undefined;
}

interface Sampling {
  /** Groups with a signal that a step wants. */
  readonly wanted: number;
  /** Chance that a group has none, 0..1. */
  readonly degenerate: number;
  /** Groups asked for, per group that is missing. */
  readonly overSampling: number;
  readonly maxBatches: number;
  /** Problems that a step can draw: none twice. */
  readonly available: number;
}

/**
 * What a step of dynamic sampling comes to on average, batch after batch: half a missing group is none.
 *
 * @returns groups sampled, those of them with a signal up to `wanted`, and batches.
 */
export function expectedSampling({ wanted, degenerate, overSampling, maxBatches, available }: Sampling) {
  let [groups, missing, batches] = [0, wanted, 0];
  while (batches < maxBatches && missing >= 0.5 && groups < available) {
    const asked = Math.min(missing * overSampling, available - groups);
    groups += asked;
    missing = Math.max(0, missing - asked * (1 - degenerate));
    batches += 1;
  }
  return { groups, trained: wanted - missing, batches };
}
