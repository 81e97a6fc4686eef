import type { RunState } from '../schema/runState';

/** Steps that a pace is taken from. */
const recentSteps = 12;

/**
 * Seconds until the phase under way ends, by the median pace of its last steps; evaluations are left out.
 *
 * @returns undefined until a step of the phase has been timed, and when the run has ended.
 */
export function secondsLeft(run: RunState): number | undefined {
  if (run.status !== 'running') return undefined;
  const recent = run.points.filter(({ phase }) => phase === run.phase).slice(-recentSteps);
  const seconds = recent.flatMap(({ metrics }) => metrics['time/step_seconds'] ?? []).sort((a, b) => a - b);
  const pace = seconds[Math.floor(seconds.length / 2)];
  return pace === undefined ? undefined : pace * Math.max(0, totalSteps(run) - run.step);
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
    seconds: ((run.updatedAt ?? 0) - (run.startedAt ?? 0)) / 1000,
    sandbox: { calls, waitSeconds: wait, level: run.facts?.python.level ?? null },
    maxLogprobGap: run.points.reduce((max, { metrics }) => Math.max(max, metrics['train/logprob_gap_max'] ?? 0), 0),
  };
}
