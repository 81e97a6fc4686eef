import { secondsLeft, totalSteps } from '../../journal/forecast';
import type { RunState } from '../../schema/runState';
import type { Strings } from '../strings';
import { duration, signed } from './format';
import { lastMetric } from './runProgress';

/** `ReTool 137/200 · +0.13 · 9 h 50 m left`. */
export function statusText(run: RunState, strings: Strings): string {
  const words = strings.statusBar;
  const progress = `${run.step}/${totalSteps(run)}`;
  const step = run.phase === 'coldStart' ? `${strings.phase.coldStart} ${progress}` : progress;
  const value = lastMetric(run, 'reward/mean');
  const left = secondsLeft(run);
  const reward = value === undefined ? undefined : signed(value);
  const time = left === undefined ? undefined : duration(left, strings.duration);
  if (reward !== undefined) return time === undefined ? words.textNoTime(step, reward) : words.text(step, reward, time);
  return time === undefined ? words.textStart(step) : words.textNoReward(step, time);
}
