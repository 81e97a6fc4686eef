import { secondsLeft, totalSteps } from '../../journal/forecast';
import type { RunHead } from '../../schema/messages';
import type { RunState } from '../../schema/runState';

/** Notices that a dashboard is told of; the journal has the rest. */
const noticesKept = 20;

export function runHead(run: RunState, here: { readonly trusted: boolean; readonly own: boolean }): RunHead {
  return {
    name: run.name,
    status: run.status,
    phase: run.phase,
    step: run.step,
    total: totalSteps(run),
    startedAt: run.startedAt ?? null,
    updatedAt: run.updatedAt ?? null,
    secondsLeft: secondsLeft(run) ?? null,
    message: run.message ?? null,
    hint: run.hint ?? null,
    checkpoints: run.checkpoints.map(({ phase, step }) => ({ phase, step })),
    evaluations: Object.entries(run.evaluations).map(([id, { phase, step, result }]) => ({
      id,
      phase,
      step,
      result: result ?? null,
    })),
    notices: run.notices.slice(-noticesKept),
    skipped: run.skipped,
    ...here,
  };
}
