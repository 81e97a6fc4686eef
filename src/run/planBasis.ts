import type { ToolProtocol } from '../rl/ports';
import type { Experiment } from '../schema/experiment';
import type { PlanBasis, PlanSource, Sourced } from '../schema/plan';
import type { RunState, StepPoint } from '../schema/runState';
import type { Demonstration, Problem } from '../schema/trajectory';

/** Where nothing is known: PyTRIO's first ten steps had 0.289. */
const assumedAccuracy = 0.3;

/** So many demonstrations tell how long the others are. */
const enoughDemonstrations = 512;

/** What the budgets allow a trajectory. Tokens. */
export interface Limits {
  readonly turns: number;
  /** A call in the last turn is never run. */
  readonly calls: number;
  /** Outputs and words about malformed calls. */
  readonly additions: number;
  /** What one of them adds at most. */
  readonly added: number;
  /** Sampled in all turns together. */
  readonly sampled: number;
  readonly trajectory: number;
}

export function limitsOf(
  { budgets, malformedCalls }: Experiment,
  protocol: ToolProtocol,
  shortestPrompt: number,
): Limits {
  const calls = Math.min(budgets.calls, budgets.turns - 1);
  const told =
    malformedCalls.policy === 'feedBack' || malformedCalls.policy === 'maskTurn' ? malformedCalls.retries : 0;
  const additions = Math.min(calls + told, budgets.turns - 1);
  // After the last call a turn may still ask for one, which ends the trajectory.
  const turns = additions + 1;
  return {
    turns,
    calls,
    additions,
    added: protocol.continuation(protocol.call('0'), '0'.repeat(budgets.observationTokens), budgets.observationTokens)
      .length,
    sampled: Math.min(turns * budgets.turnTokens, budgets.trajectoryTokens - shortestPrompt),
    trajectory: budgets.trajectoryTokens,
  };
}

export const mean = (values: readonly number[]): number | undefined =>
  values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : undefined;

/** Tokens of prompts. */
export function promptLengths(problems: readonly Problem[], protocol: ToolProtocol): PlanBasis['prompt'] {
  const lengths = problems.map((problem) => protocol.prompt(problem).length);
  const [shortest, longest] = [lengths.reduce((a, b) => Math.min(a, b)), lengths.reduce((a, b) => Math.max(a, b))];
  return { shortest, mean: mean(lengths)!, longest };
}

interface Lengths {
  readonly response?: number | undefined;
  readonly calls?: number | undefined;
  readonly added?: number | undefined;
}

/** What the policy imitates before it is let go. */
function ofDemonstrations(
  demonstrations: readonly Demonstration[],
  { coldStart, budgets }: Experiment,
  protocol: ToolProtocol,
): Lengths {
  if (!coldStart?.steps || demonstrations.length === 0) return {};
  const some = demonstrations.slice(0, enoughDemonstrations);
  const call = mean(some.map(({ code }) => protocol.call(code).length))!;
  const answer = mean(some.map(({ answer }) => protocol.answer(answer).length))!;
  const added = mean(
    some.map(
      ({ code, answer }) => protocol.continuation(protocol.call(code), answer, budgets.observationTokens).length,
    ),
  );
  return { response: coldStart.toolShare * call + answer, calls: coldStart.toolShare, added };
}

/** Means over the steps of an earlier run's reinforcement. @param prompt tokens. */
export function ofRun(run: RunState | undefined, prompt: number): Lengths & { readonly accuracy?: number | undefined } {
  const points = run?.points.filter(({ phase }) => phase === 'reinforcement') ?? [];
  const over = (of: (metrics: StepPoint['metrics']) => number | undefined) =>
    mean(points.flatMap(({ metrics }) => of(metrics) ?? []).filter(Number.isFinite));
  const response = over((m) => (m['rollout/sampled_tokens']! / m['rollout/tokens']!) * m['rollout/trajectory_tokens']!);
  const calls = over((m) => m['rollout/code_calls']);
  const length = over((m) => m['rollout/trajectory_tokens']);
  const added =
    response === undefined || length === undefined || !calls
      ? undefined
      : Math.max(0, length - prompt - response) / calls;
  return { accuracy: over((m) => m['reward/correct']), response, calls, added };
}

/** The first that is known of the experiment's `plan`, an earlier run, and demonstrations; else an assumption. */
export function basisOf(
  experiment: Experiment,
  {
    problems,
    demonstrations,
  }: { readonly problems: readonly Problem[]; readonly demonstrations: readonly Demonstration[] },
  protocol: ToolProtocol,
  run: RunState | undefined,
): PlanBasis {
  const { plan = {}, budgets } = experiment;
  const prompt = promptLengths(problems, protocol);
  const limits = limitsOf(experiment, protocol, prompt.shortest);
  const measured = ofRun(run, prompt.mean);
  const shown = ofDemonstrations(demonstrations, experiment, protocol);
  const first = (assumed: number, ...known: [PlanSource, number | undefined][]): Sourced => {
    const [from, value] = known.find(([, found]) => found !== undefined) ?? ['assumption' as const, assumed];
    return { value: value!, from };
  };
  const calls = first(
    Math.min(1, limits.calls),
    ['plan', plan.callsPerTrajectory],
    ['run', measured.calls],
    ['demonstrations', shown.calls],
  );
  const halfTurn = budgets.turnTokens / 2;
  return {
    accuracy: first(assumedAccuracy, ['plan', plan.expectedAccuracy], ['run', measured.accuracy]),
    prompt,
    response: first(
      (Math.min(calls.value, limits.calls) + 1) * halfTurn,
      ['plan', plan.responseTokens],
      ['run', measured.response],
      ['demonstrations', shown.response],
    ),
    calls,
    added: first(
      limits.added - budgets.observationTokens / 2,
      ['run', measured.added],
      ['demonstrations', shown.added],
    ),
    run: run?.id,
  };
}
