import type { Metrics } from '../schema/journal';
import { evaluationMetric } from './automaticEvaluations';

/** Something about a run that a person should look at. */
export interface Alert {
  readonly level: 'info' | 'warning';
  readonly message: string;
}

/** Steps that a mean is taken over, so that one odd step is none. */
const window = 3;
/** Steps that the present is compared with. */
const memory = 500;
/** After an alert the same condition is silent until it has been absent for as many steps. */
const quiet = 20;
/** Steps of metrics that decide all alerts of a step; older ones change nothing. */
export const alertMemory = memory + quiet + window;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Means over a window of the steps before `end`; undefined where there are not enough, or the metric is missing. */
function recent(history: readonly Metrics[], end: number) {
  return (metric: string, missing?: number): number | undefined => {
    if (end < window) return undefined;
    const values = history.slice(end - window, end).map((metrics) => metrics[metric] ?? missing);
    const sum = values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
    return Number.isNaN(sum) ? undefined : sum / window;
  };
}

type Watch = (history: readonly Metrics[], end: number) => Alert | undefined;

const warning = (message: string): Alert => ({ level: 'warning', message });

/** The extreme of the windowed mean before `end`, in memory. */
function extreme(history: readonly Metrics[], end: number, metric: string, pick: (...values: number[]) => number) {
  const first = Math.max(window, end - memory);
  const means = Array.from({ length: Math.max(0, end - first) }, (_, i) => recent(history, first + i)(metric));
  return means.reduce((best, value) => (value === undefined ? best : pick(best ?? value, value)), undefined);
}

/** Evaluations that an alert compares. */
const evaluations = 3;
/** Of the mean reward. */
const clearRise = 0.2;

const watches: readonly Watch[] = [
  function noCalls(history, end) {
    const mean = recent(history, end);
    if (mean('rollout/tool_rate') !== 0) return undefined;
    const malformed = mean('rollout/malformed_calls') ?? 0;
    if (malformed > 0) {
      return warning(
        `No call of ${window} steps could be read, in ${percent(malformed)} of rollouts one was malformed: see what is asked for, and the protocol.`,
      );
    }
    return warning(
      `No rollout has called the tool for ${window} steps: read some, and see what an answer without code is paid.`,
    );
  },

  function fallingToolUse(history, end) {
    const now = recent(history, end)('rollout/tool_rate');
    const best = extreme(history, end, 'rollout/tool_rate', Math.max);
    if (now === undefined || now === 0 || best === undefined || best < 0.2 || now > best / 2) return undefined;
    return warning(`Tool use has fallen from ${percent(best)} to ${percent(now)} of rollouts: read some that guess.`);
  },

  function repetition(history, end) {
    const now = recent(history, end)('rollout/repetitive', 0);
    if (now === undefined || now < 0.25) return undefined;
    return warning(
      `${percent(now)} of rollouts end in repetition: the policy collapses. Go on from an earlier state with a lower learning rate.`,
    );
  },

  function equalRewards(history, end) {
    const mean = recent(history, end);
    const now = mean('rollout/zero_variance_groups');
    if (now === undefined || now < 0.9) return undefined;
    if ((mean('reward/correct') ?? 0) >= 0.85) {
      const message = `${percent(now)} of groups are solved alike: these problems have little left to teach.`;
      return { level: 'info', message };
    }
    return warning(`In ${percent(now)} of groups all rewards are equal: easier problems or larger groups would teach.`);
  },

  function gap(history, end) {
    const now = recent(history, end)('train/logprob_gap_mean');
    if (now === undefined || now < 0.02) return undefined;
    return warning(
      `Sampler and trainer differ by ${now.toFixed(3)} nats per token on what was just sampled: they may use other weights, templates or precision.`,
    );
  },

  function timeouts(history, end) {
    const now = recent(history, end)('sandbox/timeout_rate');
    if (now === undefined || now < 0.25) return undefined;
    return warning(`${percent(now)} of executions time out: see what they run, or raise sandbox.cpuSeconds.`);
  },

  function truncation(history, end) {
    const now = recent(history, end)('rollout/truncated');
    const least = extreme(history, end, 'rollout/truncated', Math.min);
    if (now === undefined || least === undefined || now < 0.2 || now < 2 * least) return undefined;
    return warning(
      `${percent(now)} of rollouts are cut by a token budget, up from ${percent(least)}: raise budgets, or penalise length.`,
    );
  },

  function divergence(history, end) {
    const places = history.slice(0, end).flatMap((metrics, i) => (metrics[evaluationMetric] === undefined ? [] : [i]));
    const compared = places.slice(-evaluations);
    if (compared.length < evaluations) return undefined;
    const [first, ...later] = compared.map((at) => history[at]![evaluationMetric]!) as [number, ...number[]];
    const reward = (at: number) => recent(history, at)('reward/mean');
    const [before, now] = [reward(compared[0]!), reward(compared.at(-1)!)];
    if (before === undefined || now === undefined || now - before < clearRise) return undefined;
    if (later.some((share) => share > first)) return undefined;
    return warning(
      `While the training reward rose from ${before.toFixed(2)} to ${now.toFixed(2)}, the evaluation did not: ${percent(first)}, then ${later.map(percent).join(' and ')} correct. What is paid may not be what is asked, or the training problems are learnt by heart.`,
    );
  },
];

/**
 * What to tell of the last step: conditions that hold now and did not in the steps before. A function of the metrics
 * alone, so that a resumed run tells the same.
 *
 * @param history metrics of the reinforcement's steps, oldest first; of older ones than {@link alertMemory} none is needed.
 */
export function alertsOf(history: readonly Metrics[]): Alert[] {
  const end = history.length;
  return watches.flatMap((watch) => {
    const now = watch(history, end);
    if (!now) return [];
    for (let before = end - 1; before >= Math.max(1, end - quiet); before--) if (watch(history, before)) return [];
    return [now];
  });
}

/**
 * True when the last step's metrics show what none of the steps shortly before did: what each step would say is told
 * once while it lasts.
 *
 * @param history as of {@link alertsOf}.
 */
export function begins(history: readonly Metrics[], shows: (metrics: Metrics) => boolean): boolean {
  const last = history.at(-1);
  return last !== undefined && shows(last) && !history.slice(-1 - quiet, -1).some(shows);
}
