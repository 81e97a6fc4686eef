import { createRule } from '../grading/createRule';
import { type Laboratory, laboratory } from '../grading/laboratory';
import { trajectoriesAt } from '../journal/rolloutPlace';
import { readFrozenExperiment } from '../journal/runFolder';
import { breathe } from '../lib/breathe';
import { isLost } from '../rl/metrics';
import { RewardRuleName } from '../schema/reward';
import type { RolloutPlace, Trajectory } from '../schema/trajectory';

export const ruleNames: readonly RewardRuleName[] = RewardRuleName.options;

export interface RunLaboratory extends Laboratory<Trajectory> {
  /** The rule that the run was trained with. */
  readonly own: RewardRuleName;
  /** Trajectories that are lost or texts alone, and lines that cannot be read. */
  readonly leftOut: number;
}

/** Trajectories graded between two breaths. */
const gradedAtOnce = 8;

/**
 * Grades the trajectories of a step or an evaluation under every rule, as it would pay by itself.
 *
 * @throws RetoolError `run` or `data` when they cannot be read.
 */
export async function compareRules(folder: string, place: RolloutPlace): Promise<RunLaboratory> {
  const { experiment } = await readFrozenExperiment(folder);
  const all: Trajectory[] = [];
  let unread = 0;
  const onUnread = () => {
    unread += 1;
  };
  for await (const trajectory of trajectoriesAt(folder, place, onUnread)) all.push(trajectory);
  const trajectories = all.filter((trajectory) => !isLost(trajectory) && !trajectory.imported);
  const rules = ruleNames.map((rule) => createRule({ rule, adjustments: [] }));
  const found = await laboratory(trajectories, rules, async (done) => {
    if (done % gradedAtOnce === 0) await breathe();
  });
  return { ...found, own: experiment.reward.rule, leftOut: all.length - trajectories.length + unread };
}
