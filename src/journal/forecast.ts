import { evaluationsWithin } from '../lib/evaluationsWithin';
import type { EvaluationState, Forecast, RunState } from '../schema/runState';

/** Steps that a pace is taken from. */
const recentSteps = 12;

/** On the local trainer a rollout takes this many times what a demonstration does in the cold start. */
const rolloutPerDemonstration = 1.5;

/**
 * When the run will have ended. Each part is judged by its own pace, the median of its last steps; a part that has not
 * begun by the pace of the one before it.
 *
 * @returns undefined until there is a pace, when the run does not run, and while its service does not answer.
 */
export function forecast(run: RunState): Forecast | undefined {
  if (run.status !== 'running' || run.silentSince !== undefined) return undefined;
  const { plan, phase } = run;
  const coldSteps = phase === 'coldStart' ? plan.coldStart - run.step : 0;
  const steps = plan.reinforcement - (phase === 'reinforcement' ? run.step : 0);
  const rollouts = rolloutsToEvaluate(run);

  const { coldStart: coldPace, step: stepPace, evaluated } = pacesOf(run);
  const demonstration = over(coldPace, plan.demonstrationsPerStep);
  const rollout = evaluated ?? over(stepPace, plan.rolloutsPerStep) ?? times(demonstration, rolloutPerDemonstration);
  const parts = [
    { count: coldSteps, pace: coldPace },
    { count: steps, pace: stepPace ?? times(rollout, plan.rolloutsPerStep) },
    { count: rollouts, pace: rollout },
  ].filter(({ count }) => count > 0);
  if (parts.some(({ pace }) => pace === undefined)) return undefined;
  return {
    seconds: parts.reduce((sum, { count, pace = 0 }) => sum + count * pace, 0),
    rough: (steps > 0 && stepPace === undefined) || (rollouts > 0 && evaluated === undefined),
  };
}

const over = (seconds: number | undefined, count: number | undefined): number | undefined =>
  seconds === undefined || !count ? undefined : seconds / count;

const times = (seconds: number | undefined, count: number | undefined): number | undefined =>
  seconds === undefined || count === undefined ? undefined : seconds * count;

/** Seconds per update of the cold start, per step of the reinforcement and per rollout of an evaluation; undefined where none was done. */
export const pacesOf = (run: RunState) => ({
  coldStart: paceOf(run, 'coldStart'),
  step: paceOf(run, 'reinforcement'),
  evaluated: evaluationPace(run),
});

/** Seconds per step of a phase. */
function paceOf(run: RunState, phase: RunState['phase']): number | undefined {
  const recent = run.points.filter((point) => point.phase === phase).slice(-recentSteps);
  const seconds = recent.flatMap(({ metrics }) => metrics['time/step_seconds'] ?? []).sort((a, b) => a - b);
  return seconds[Math.floor(seconds.length / 2)];
}

/** Seconds per rollout of the newest evaluation that has some. */
function evaluationPace({ evaluations }: RunState): number | undefined {
  const newest = Object.values(evaluations).findLast(({ done, seconds }) => done > 0 && seconds !== undefined);
  return newest && over(newest.seconds, newest.done);
}

function rolloutsToEvaluate(run: RunState): number {
  const { evaluations, plan, phase } = run;
  const due = phase === 'reinforcement' ? ['after'] : ['before', 'after'];
  const each = plan.evaluationRollouts ?? evaluations.before?.rollouts ?? 0;
  const begun = Object.values(evaluations).filter(({ result }) => result === undefined);
  const left = begun.reduce((sum, { rollouts, done }) => sum + rollouts - done, 0);
  return left + each * (due.filter((id) => !evaluations[id]).length + evaluationsToCome(run));
}

/** Those within the reinforcement that have not come yet, as many as the budget may leave. */
function evaluationsToCome({ plan: { evaluateEvery = 0, reinforcement }, phase, step }: RunState): number {
  if (evaluateEvery === 0) return 0;
  const past = phase === 'reinforcement' ? Math.floor(step / evaluateEvery) : 0;
  return Math.max(0, evaluationsWithin(reinforcement, evaluateEvery) - past);
}

/** The evaluation that is under way. */
export function runningEvaluation(run: RunState): (EvaluationState & { readonly id: string }) | undefined {
  if (run.status !== 'running') return undefined;
  const found = Object.entries(run.evaluations).find(([, { result }]) => result === undefined);
  return found && { id: found[0], ...found[1] };
}

export const totalSteps = (run: RunState): number =>
  run.phase === 'coldStart' ? run.plan.coldStart : run.plan.reinforcement;

/** For example `1 h 05 m`, `3 m 20 s`, `12 s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (value: number) => String(value).padStart(2, '0');
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} m`;
  return whole >= 60 ? `${Math.floor(whole / 60)} m ${two(whole % 60)} s` : `${whole} s`;
}

/** Steps at the end of a run that made no update: the policy is as it was before them. */
function idleAtEnd({ points }: RunState): number {
  const steps = points.filter(({ phase }) => phase === 'reinforcement');
  return steps.length - 1 - steps.findLastIndex(({ metrics }) => metrics['train/updates'] !== 0);
}

/** What a finished, stopped or failed run comes to: the summary of `retool train`. */
export function runSummary(run: RunState) {
  const { before, after } = run.evaluations;
  const rates = (result: NonNullable<typeof before>['result']) =>
    result ? { correct: result.correct, tool: result.tool, format: result.format } : null;
  const total = (name: string) => run.points.reduce((sum, { metrics }) => sum + (metrics[name] ?? 0), 0);
  const calls = total('sandbox/calls');
  const wait = run.points.reduce(
    (sum, { metrics }) => sum + (metrics['sandbox/calls'] ?? 0) * (metrics['sandbox/queue_seconds'] ?? 0),
    0,
  );
  const kinds = Object.keys(before?.result?.byKind ?? after?.result?.byKind ?? {});
  return {
    outcome: run.status,
    runDir: run.folder,
    steps: run.points.filter(({ phase }) => phase === 'reinforcement').length,
    optimizerSteps: run.points.filter(({ phase }) => phase === 'coldStart').length + total('train/updates'),
    before: rates(before?.result),
    after: rates(after?.result),
    ...(after?.result?.change && { change: after.result.change }),
    ...(kinds.length > 1
      ? {
          byKind: Object.fromEntries(
            kinds.map((kind) => [
              kind,
              { before: before?.result?.byKind[kind] ?? null, after: after?.result?.byKind[kind] ?? null },
            ]),
          ),
        }
      : {}),
    idleSteps: idleAtEnd(run),
    seconds: run.activeSeconds,
    sandbox: { calls, waitSeconds: wait, level: run.facts?.python.level ?? null },
    maxLogprobGap: run.points.reduce((max, { metrics }) => Math.max(max, metrics['train/logprob_gap_max'] ?? 0), 0),
  };
}
