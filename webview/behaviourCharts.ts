import type { BehaviourMeasure, BehaviourRow, BehaviourWords } from '../src/schema/behaviour';
import type { StepPoint } from '../src/schema/runState';
import type { ChartSpec, SeriesSpec } from './chartSpecs';

type Side = 'all' | 'correct' | 'incorrect';

/** The charts of a run: measures that are drawn together, or one for right and for wrong answers. */
const plans: readonly (readonly string[] | { readonly split: string })[] = [
  ['response_tokens_with_output', 'response_tokens'],
  ['code_ratio'],
  { split: 'pass_rate' },
  ['calls', 'successful_calls'],
  ['code_lines', 'code_lines_stripped'],
  ['first_call'],
  ['executed_ratio', 'before_answer_ratio'],
  ['answer_from_output'],
  ['self_correction', 'self_correcting'],
  ['repeated_code'],
  ['void_turns', 'with_void_turn'],
  { split: 'response_tokens' },
];

const metricOf = (side: Side, name: string): string => (side === 'all' ? name : `${name}/${side}`);

export function behaviourSpecs(
  measures: readonly BehaviourMeasure[],
  sideWords: Readonly<Record<Side, string>>,
  { lines, purpose }: Pick<BehaviourWords['behaviour'], 'lines' | 'purpose'>,
): ChartSpec[] {
  const known = new Map(measures.map((measure) => [measure.name, measure]));
  const charts = plans.flatMap((plan): ChartSpec[] => {
    const names = 'split' in plan ? [plan.split] : plan;
    const first = known.get(names[0]!);
    if (!first) return [];
    const series =
      'split' in plan ? splitSeries(plan.split, sideWords) : names.map((name) => line(name, lines[name] ?? name));
    return [
      {
        id: names[0]!,
        title: first.label,
        phase: 'reinforcement',
        unit: first.form === 'share' ? 'share' : 'number',
        kind: 'lines',
        series,
        bounds: first.form === 'share' ? { min: 0, max: 1 } : { min: 0 },
      },
    ];
  });
  return [...charts, purposeSpec(known, purpose)];
}

/** From below: what is common first, for it has the strongest colours. */
const stacked = 'calculation enumeration symbolic verification geometry simulation plotting other'.split(' ');

/** Every call has one purpose: their shares add up to all calls of a step. */
const purposeSpec = (known: ReadonlyMap<string, BehaviourMeasure>, title: string): ChartSpec => ({
  id: 'purpose/*',
  title,
  phase: 'reinforcement',
  unit: 'share',
  kind: 'stack',
  series: stacked.map((purpose) => line(`purpose/${purpose}`, known.get(`purpose/${purpose}`)?.label ?? purpose)),
  bounds: { min: 0, max: 1 },
  spread: true,
});

const line = (metric: string, label: string): SeriesSpec => ({ metric, label, value: (metrics) => metrics[metric] });

const splitSeries = (name: string, sideWords: Readonly<Record<Side, string>>): SeriesSpec[] =>
  (['correct', 'incorrect'] as const).map((side) => line(metricOf(side, name), sideWords[side]));

/** A step as charts take it; undefined for an evaluation. */
export function pointOf({ place, all, correct, incorrect }: BehaviourRow): StepPoint | undefined {
  if (!('step' in place)) return undefined;
  const sides = { all, correct, incorrect };
  const metrics = Object.fromEntries(
    Object.entries(sides).flatMap(([side, values]) =>
      Object.entries(values).flatMap(([name, value]) =>
        value === null ? [] : [[metricOf(side as Side, name), value]],
      ),
    ),
  );
  return { phase: 'reinforcement', step: place.step, time: 0, metrics };
}
