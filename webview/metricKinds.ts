import type { Unit } from './format';

/** What a metric is by its name, the first that fits; what fits none is a plain number. */
const kinds: readonly (readonly [RegExp, Unit])[] = [
  [/seconds$/, 'seconds'],
  [/^calls\/|\/total_|^rollout\/(?:dropped_|infrastructure$)|tokens(?:_per_second)?$/, 'count'],
  [/^sandbox\/calls$|\/(?:attempted_calls|updates|generation_batches|resampled_out)$/, 'count'],
  [/\/(?:trained_groups|phantom_groups|masked_turns|masked_void_turns)$/, 'count'],
  [/learning_rate$/, 'number'],
  [/^reward\/(?!mean$)|^evaluation\/|_rate(?:\/|$)|_fraction$|_bounded$/, 'share'],
  [/^rollout\/(?:truncated|repetitive|malformed_calls|end_trained|zero_variance_groups)$/, 'share'],
];

/** Unit of a metric that no plan of the charts names. */
export const unitOf = (metric: string): Unit => kinds.find(([name]) => name.test(metric))?.[1] ?? 'number';

/** False for what has no noise to average out: sums over the run, and what a schedule sets or is measured now and then. */
export const isNoisy = (metric: string): boolean => !/\/total_|^evaluation\/|^train\/learning_rate$/.test(metric);
