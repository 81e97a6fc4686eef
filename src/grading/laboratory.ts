import type { Gradable, RewardRule } from '../rl/ports';
import type { Grade } from '../schema/trajectory';

/** One trajectory under several rules. */
export interface LaboratoryRow<T extends Gradable> {
  readonly trajectory: T;
  /** By the rule's name, in the order of the rules. */
  readonly grades: Readonly<Record<string, Grade>>;
  /** The verdicts differ. */
  readonly disputed: boolean;
}

export interface Laboratory<T extends Gradable> {
  readonly rows: readonly LaboratoryRow<T>[];
  /** Rows in which the verdicts differ. */
  readonly disagreements: readonly LaboratoryRow<T>[];
  /** By rule: how many are correct, unknown, in a box, and the mean reward. */
  readonly totals: Readonly<Record<string, { correct: number; unknown: number; formatted: number; reward: number }>>;
}

/**
 * Grades the same trajectories under all rules and lists where these disagree.
 *
 * @param pause called with the number of trajectories graded so far, so that a thread can be shared.
 */
export async function laboratory<T extends Gradable>(
  trajectories: readonly T[],
  rules: readonly RewardRule[],
  pause: (graded: number) => Promise<void> = async () => {},
): Promise<Laboratory<T>> {
  const rows: LaboratoryRow<T>[] = [];
  for (const trajectory of trajectories) {
    const grades = Object.fromEntries(rules.map((rule) => [rule.name, rule.grade(trajectory)]));
    const verdicts = new Set(Object.values(grades).map(({ verdict }) => verdict));
    rows.push({ trajectory, grades, disputed: verdicts.size > 1 });
    await pause(rows.length);
  }
  const totals = Object.fromEntries(
    rules.map(({ name }) => {
      const grades = rows.map((row) => row.grades[name]!);
      const count = (test: (grade: Grade) => boolean) => grades.filter(test).length;
      return [
        name,
        {
          correct: count(({ verdict }) => verdict === 'correct'),
          unknown: count(({ verdict }) => verdict === 'unknown'),
          formatted: count(({ formatted }) => formatted),
          reward: grades.reduce((sum, { reward }) => sum + reward, 0) / Math.max(grades.length, 1),
        },
      ];
    }),
  );
  return { rows, disagreements: rows.filter(({ disputed }) => disputed), totals };
}
