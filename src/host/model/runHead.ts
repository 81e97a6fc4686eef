import { forecast, runningEvaluation, totalSteps } from '../../journal/forecast';
import type { RunHead } from '../../schema/messages';
import type { RunState } from '../../schema/runState';

/** Notices that a dashboard is told of; the journal has the rest. */
const noticesKept = 20;

export function runHead(run: RunState, here: { readonly trusted: boolean; readonly own: boolean }): RunHead {
  const evaluating = runningEvaluation(run);
  return {
    name: run.name,
    status: run.status,
    phase: run.phase,
    step: run.step,
    total: totalSteps(run),
    pending: run.pending ?? null,
    startedAt: run.startedAt ?? null,
    activeSeconds: run.activeSeconds,
    left: forecast(run) ?? null,
    evaluating: evaluating ? { done: evaluating.done, rollouts: evaluating.rollouts } : null,
    message: run.message ?? null,
    hint: run.hint ?? null,
    checkpoints: run.checkpoints.map(({ phase, step }) => ({ phase, step })),
    evaluations: Object.entries(run.evaluations).map(([id, { phase, step, rollouts, done, result }]) => ({
      id,
      phase,
      step,
      rollouts,
      done,
      result: result ?? null,
    })),
    notices: run.notices.slice(-noticesKept),
    skipped: run.skipped,
    ...here,
  };
}
