import { forecast, runningEvaluation, totalSteps } from '../../journal/forecast';
import type { RunState } from '../../schema/runState';
import type { Strings } from '../strings';
import { count, duration, signed, timeText } from './format';
import { lastMetric } from './runProgress';

/** `ReTool 137/200 · +0.13 · 9 h 50 m left`. */
export function statusText(run: RunState, strings: Strings): string {
  const reward = lastMetric(run, 'reward/mean');
  const facts = [progressText(run, strings), reward === undefined ? undefined : signed(reward), leftText(run, strings)];
  return `ReTool ${facts.filter((fact) => fact !== undefined).join(' · ')}`;
}

/** Which reward is shown beside a run: tiles and curves of its dashboard are smoothed. */
export function rewardNote(run: RunState, strings: Strings): string | undefined {
  const point = run.points.findLast(({ phase, metrics }) => phase === 'reinforcement' && 'reward/mean' in metrics);
  return point && strings.tree.rewardOf(signed(point.metrics['reward/mean'] ?? 0), point.step);
}

/** `137/200`, `Cold start 40/350`, `evaluating 320 of 1,024`, `stopping…`, that the service is waited for. */
function progressText(run: RunState, strings: Strings): string {
  const words = strings.progress;
  if (run.pending) return words[run.pending];
  if (run.silentSince !== undefined) return words.silent(timeText(run.silentSince));
  const evaluation = runningEvaluation(run);
  if (evaluation) return words.evaluating(count(evaluation.done), count(evaluation.rollouts));
  const steps = `${run.step}/${totalSteps(run)}`;
  return run.phase === 'coldStart' ? `${strings.phase.coldStart} ${steps}` : steps;
}

/** `9 h 50 m left`, of the whole run. */
export function leftText(run: RunState, strings: Strings): string | undefined {
  const left = forecast(run);
  if (!left || run.pending) return undefined;
  const time = duration(left.seconds, strings.duration);
  return left.rough ? strings.progress.aboutLeft(time) : strings.progress.left(time);
}
