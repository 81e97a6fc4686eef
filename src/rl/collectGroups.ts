import { mapBounded } from '../lib/concurrency';
import type { Experiment } from '../schema/experiment';
import type { Problem } from '../schema/trajectory';
import { orderAt } from './coldStart';
import { type Group, judgeGroup } from './groups';
import { requireWorkingTools } from './requireWorkingTools';
import { type RolloutParts, rollout } from './rollout';

/** What a step has sampled. */
export interface Collected {
  /** Judged, in the order in which their problems were drawn. */
  readonly groups: readonly Group[];
  /** Times that problems were asked for. */
  readonly batches: number;
  /** Where in the endless order of problems the next step begins. */
  readonly position: number;
}

/**
 * Samples and judges the groups of a step. With dynamic sampling, groups without a signal are replaced by fresh problems
 * until `problemsPerStep` groups have one, the batches are used up, or no problem is left that the step has not seen.
 *
 * A step never draws a problem twice: its trajectories would be the same ones.
 *
 * @param from where in the order of problems the step begins.
 * @throws RetoolError when tools are gone, see {@link requireWorkingTools}.
 */
export async function collectGroups(
  problems: readonly Problem[],
  at: { readonly step: number; readonly seed: number; readonly from: number },
  settings: Experiment['reinforcement'],
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<Collected> {
  const { dynamicSampling } = settings;
  const wanted = Math.min(settings.problemsPerStep, problems.length);
  const draw = drawer(problems, at.seed, at.from);
  const groups: Group[] = [];
  const trained = () => groups.filter(({ dropped }) => !dropped).length;
  for (let batches = 0; ; ) {
    const missing = wanted - trained();
    const drawn = draw.next(Math.ceil(missing * (dynamicSampling?.overSampling ?? 1)));
    if (drawn.length > 0) batches += 1;
    for (const group of await sampleGroups(drawn, at, settings, parts, signal)) {
      groups.push(trained() < wanted ? group : surplus(group));
    }
    requireWorkingTools(groups.flatMap(({ trajectories }) => trajectories));
    const enough = trained() >= wanted || drawn.length === 0;
    if (enough || !dynamicSampling || batches >= dynamicSampling.maxBatches) {
      return { groups, batches, position: draw.position() };
    }
  }
}

/** Draws problems in the run's endless order, passing over those that were drawn before. */
function drawer(problems: readonly Problem[], seed: number, from: number) {
  const order = orderAt(problems.length, seed, 'problems');
  const seen = new Set<Problem>();
  let position = from;
  return {
    next(count: number): Problem[] {
      const drawn: Problem[] = [];
      while (drawn.length < count && seen.size < problems.length) {
        const problem = problems[order(position++)]!;
        if (!seen.has(problem)) drawn.push(problem);
        seen.add(problem);
      }
      return drawn;
    },
    position: () => position,
  };
}

/** G trajectories of each problem; sorted by problem as given, then branch. */
async function sampleGroups(
  problems: readonly Problem[],
  { step, seed }: { readonly step: number; readonly seed: number },
  settings: Experiment['reinforcement'],
  parts: RolloutParts,
  signal: AbortSignal,
): Promise<Group[]> {
  const { groupSize, concurrency } = settings;
  const work = problems.flatMap((problem) => Array.from({ length: groupSize }, (_, branch) => ({ problem, branch })));
  const trajectories = await mapBounded(work, concurrency, signal, ({ problem, branch }) =>
    rollout(problem, { step, branch, seed, path: ['sample', step, problem.id, branch] }, parts, signal),
  );
  return problems.map((_, i) => judgeGroup(trajectories.slice(i * groupSize, (i + 1) * groupSize), settings));
}

const surplus = ({ trajectories, dropped }: Group): Group => ({
  trajectories: dropped ? trajectories : trajectories.map((each) => ({ ...each, advantage: 0 })),
  dropped: dropped ?? 'surplus',
});
