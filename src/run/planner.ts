import { dirname, resolve } from 'node:path';
import { pacesOf } from '../journal/forecast';
import { runsFolderOf } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import { moneyText, numberText } from '../lib/texts';
import { demonstrationDatum } from '../rl/coldStart';
import type { Experiment } from '../schema/experiment';
import type { Plan, Range, Usage } from '../schema/plan';
import type { RunState } from '../schema/runState';
import { localVocabulary } from '../trainer/vocabulary';
import { earlierRun } from './earlierRun';
import type { HubAccess } from './hubData';
import { gatherMaterials, type Materials } from './materials';
import { basisOf, limitsOf, mean, promptLengths } from './planBasis';
import { degenerateChance, expectedSampling, sizeThatHalves } from './planChances';
import { planProblems } from './planProblems';
import { type Counts, costOf, usageOf } from './planUsage';
import type { ReadingOptions } from './problemSets';

/**
 * What a run of an experiment file will need. An earlier run beside it tells what is not said in its `plan`.
 *
 * @param options.purpose `plan` also takes what no service here can run.
 * @throws RetoolError as the start of a run does for an experiment or data files that are wrong.
 */
export async function planExperiment(
  path: string,
  { purpose = 'run', ...options }: ReadingOptions & HubAccess & { readonly purpose?: 'run' | 'plan' } = {},
): Promise<{ readonly experiment: Experiment; readonly problems: number; readonly plan: Plan }> {
  const runs = runsFolderOf(dirname(resolve(path)));
  const materials = await gatherMaterials({ ...options, experiment: path, runs }, localVocabulary, purpose);
  const { experiment, problems } = materials;
  return { experiment, problems: problems.length, plan: planRun(materials, await earlierRun(runs, experiment.name)) };
}

/** @throws RetoolError `config` when the plan comes to more than its cap. */
export function requireUnderCap({ money }: Plan): void {
  if (money?.cap === undefined || money.run.typical <= money.cap) return;
  const { currency, cap, run } = money;
  const [typical, most] = [moneyText(run.typical), moneyText(run.most)];
  throw new RetoolError(
    'config',
    `The run is planned at ${typical} ${currency} (at most ${most}), above plan.cap (${numberText(cap, 'en')} ${currency}).`,
    {
      hint: "Raise plan.cap, or lower what 'retool plan' shows to cost most: steps, problemsPerStep, groupSize or budgets.",
    },
  );
}

/** @param run an earlier one of the same experiment. */
export function planRun(materials: Materials, run: RunState | undefined): Plan {
  const { experiment, protocol, problems } = materials;
  const { reinforcement, coldStart } = experiment;
  const { groupSize, dynamicSampling, steps, minibatches } = reinforcement;
  const basis = basisOf(experiment, materials, protocol, run);
  const limits = limitsOf(experiment, protocol, basis.prompt.shortest);
  const accuracy = basis.accuracy.value;
  const sampling = samplingOf(experiment, problems.length, accuracy);
  const usage = usageOf(experiment, basis, limits, { ...sampling.counts, ...lengthsOf(materials) });
  const money = moneyOf(experiment, usage);
  const part = { ...usage, money };
  return {
    basis,
    ...part,
    updates: (coldStart?.steps ?? 0) + steps * minibatches,
    group: {
      size: groupSize,
      degenerate: degenerateChance(accuracy, groupSize),
      halvedBy: sizeThatHalves(accuracy, groupSize),
      measured: mean(run?.points.flatMap(({ metrics }) => metrics['rollout/zero_variance_groups'] ?? []) ?? []),
    },
    batches: dynamicSampling && sampling.batches,
    seconds: run && secondsOf(experiment, usage, run),
    problems: planProblems({ experiment, protocol, problems, basis, limits, plan: part }),
  };
}

/** Groups of a step. */
function samplingOf({ reinforcement }: Experiment, available: number, accuracy: number) {
  const { problemsPerStep, groupSize, dynamicSampling } = reinforcement;
  const wanted = Math.min(problemsPerStep, available);
  const { maxBatches, overSampling } = dynamicSampling ?? { maxBatches: 1, overSampling: 1 };
  const degenerate = degenerateChance(accuracy, groupSize);
  const { groups, trained, batches } = expectedSampling({ wanted, degenerate, overSampling, maxBatches, available });
  const most = Math.min(available, Math.ceil(wanted * overSampling) * maxBatches);
  return {
    batches,
    counts: { groups: { typical: groups, most }, trainedGroups: { typical: trained, most: wanted } },
  };
}

/** Tokens of what is measured and imitated. */
function lengthsOf({
  experiment: { coldStart, budgets },
  evaluation,
  demonstrations,
  protocol,
}: Materials): Pick<Counts, 'evaluation' | 'demonstration'> {
  const rows = (withTool: boolean) =>
    demonstrations.map((each) => demonstrationDatum(each, withTool, protocol, budgets.observationTokens).tokens.length);
  const [called, answered] = [rows(true), rows(false)];
  const share = coldStart?.toolShare ?? 0;
  return {
    evaluation:
      evaluation.length > 0 ? { problems: evaluation.length, prompt: promptLengths(evaluation, protocol) } : undefined,
    demonstration: {
      typical: share * (mean(called) ?? 0) + (1 - share) * (mean(answered) ?? 0),
      most: called.reduce((most, length) => Math.max(most, length), 0),
    },
  };
}

type Parts = Readonly<Record<'step' | 'evaluation' | 'run', Range<Usage>>>;

function moneyOf({ plan }: Experiment, { step, run }: Parts): Plan['money'] {
  if (!plan?.prices) return undefined;
  const { prices } = plan;
  const cost = ({ typical, most }: Range<Usage>) => ({ typical: costOf(typical, prices), most: costOf(most, prices) });
  return { currency: prices.currency, step: cost(step), run: cost(run), cap: plan.cap };
}

/** By the pace of an earlier run, which may have had more or fewer trajectories per step. */
function secondsOf(
  { reinforcement, coldStart }: Experiment,
  { step, evaluation }: Parts,
  run: RunState,
): Plan['seconds'] {
  const pace = pacesOf(run);
  if (pace.step === undefined || !run.plan.rolloutsPerStep) return undefined;
  const rollouts = step.typical.trajectories;
  const perStep = (pace.step / sampledPerStep(run)) * rollouts;
  const evaluated = evaluation.typical.trajectories * (pace.evaluated ?? perStep / rollouts);
  const cold = coldStart?.steps ? pace.coldStart && coldStart.steps * pace.coldStart : 0;
  return { step: perStep, run: cold === undefined ? undefined : cold + reinforcement.steps * perStep + evaluated };
}

/** Trajectories of a step: with dynamic sampling more than were wanted. */
function sampledPerStep({ points, plan }: RunState): number {
  const counted = points.flatMap(({ metrics }) => {
    const count = (metrics['rollout/tokens'] ?? 0) / (metrics['rollout/trajectory_tokens'] ?? 0);
    return Number.isFinite(count) && count > 0 ? [count] : [];
  });
  return mean(counted) ?? plan.rolloutsPerStep ?? 1;
}
