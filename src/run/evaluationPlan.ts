import { join } from 'node:path';
import { pacesOf } from '../journal/forecast';
import { readFrozenExperiment, runPaths } from '../journal/runFolder';
import { protocolOf as toolProtocol } from '../protocols/protocols';
import type { EvaluationSummary } from '../schema/evaluation';
import type { Experiment } from '../schema/experiment';
import type { Range } from '../schema/plan';
import type { RunState } from '../schema/runState';
import { localVocabulary } from '../trainer/vocabulary';
import { listEvaluations, resultFile } from './evaluationFolder';
import { type EvaluationChoices, experimentUnder } from './evaluationProtocol';
import { readSummary } from './evaluationSummary';
import { longestPrompt, setCalled } from './namedSets';
import { limitsOf, mean, ofRun } from './planBasis';
import { costOf, evaluationAtMost } from './planUsage';
import { promptLimit } from './problemSets';

/** What an evaluation will need. */
export interface EvaluationPlan {
  readonly problems: number;
  readonly samples: number;
  readonly generations: number;
  /** Sampled ones; typically as in earlier evaluations, else as in the run's own steps, else unknown. */
  readonly tokens: Partial<Range<number>> & Pick<Range<number>, 'most'>;
  /** By the pace of earlier evaluations, else of the run's own, else unknown. */
  readonly seconds: number | undefined;
  /** Where the longest prompt of a named set has no room in this model. Tokens. */
  readonly tooLong?: { readonly longest: number; readonly room: number } | undefined;
  readonly money: (Partial<Range<number>> & Pick<Range<number>, 'most'> & { readonly currency: string }) | undefined;
}

/** What plans of evaluations of one run are made from. */
export interface EvaluationBasis {
  readonly experiment: Experiment;
  /** Of earlier evaluations of the run that have ended, newest first. */
  readonly earlier: readonly EvaluationSummary[];
  readonly run: RunState;
}

/** @throws RetoolError `run` where its experiment cannot be read. */
export async function evaluationBasis(run: RunState): Promise<EvaluationBasis> {
  const { experiment } = await readFrozenExperiment(run.folder);
  const folder = join(run.folder, runPaths.evaluations);
  const ended = (await listEvaluations(folder)).filter(({ status }) => status === 'done').reverse();
  const own = Object.keys(run.evaluations).reverse();
  const ids = [...ended.map(({ request }) => request.id), ...own];
  const found = await Promise.all(ids.map((id) => readSummary(resultFile(folder, id))));
  return { experiment, earlier: found.flatMap((summary) => summary ?? []), run };
}

/**
 * What an evaluation will need, before its problems are read.
 *
 * @param dataset its name; `problems` their number, undefined where nobody knows it yet.
 */
export function planEvaluation(
  { experiment, earlier, run }: EvaluationBasis,
  { dataset, problems }: { readonly dataset: string; readonly problems: number | undefined },
  choices: EvaluationChoices = {},
): EvaluationPlan | undefined {
  if (problems === undefined) return undefined;
  const mode = choices.mode ?? 'tool';
  const { budgets, protocol, plan, evaluation } = experimentUnder(experiment, mode);
  const samples = choices.samples ?? evaluation.samplesPerProblem;
  const generations = problems * samples;
  const tools = toolProtocol(protocol, localVocabulary, experiment);
  const limits = limitsOf({ ...experiment, budgets }, tools, 0);
  const [set, room] = [setCalled(dataset), promptLimit(experiment)];
  const longest = set ? longestPrompt(set, tools) : 0;
  const most = evaluationAtMost({ problems, samples, longest: room }, budgets.turnTokens, limits);
  const alike = earlier.filter((summary) => (summary.mode === 'text-only') === (mode === 'text'));
  const same = alike.filter((summary) => summary.dataset === dataset);
  const measured = (of: (summary: EvaluationSummary) => number | null | undefined) =>
    mean([...same, ...alike].flatMap((summary) => of(summary) ?? []).slice(0, 1));
  const sampled =
    measured((summary) => summary.mean_completion_tokens) ?? plan?.responseTokens ?? ofRun(run, 0).response;
  const prompts = mean(same.flatMap((summary) => summary.mean_prompt_tokens ?? []).slice(0, 1));
  const pace = measured((summary) => summary.seconds_per_generation) ?? paceOf(run);
  const tokens = { most: most.sampled, ...(sampled !== undefined && { typical: generations * sampled }) };
  return {
    problems,
    samples,
    generations,
    tokens,
    seconds: pace === undefined ? undefined : pace * generations,
    tooLong: longest > room ? { longest, room } : undefined,
    money: plan?.prices && {
      currency: plan.prices.currency,
      most: costOf(most, plan.prices),
      ...(prompts !== undefined &&
        sampled !== undefined && {
          typical: costOf(
            { prefill: generations * prompts, cachedPrefill: 0, sampled: generations * sampled, trained: 0 },
            plan.prices,
          ),
        }),
    },
  };
}

/** Seconds per generation as the run's own evaluations took, else its steps. */
function paceOf(run: RunState): number | undefined {
  const { evaluated, step } = pacesOf(run);
  const perStep = run.plan.rolloutsPerStep;
  return evaluated ?? (step !== undefined && perStep ? step / perStep : undefined);
}
