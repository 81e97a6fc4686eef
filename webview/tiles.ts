import type { EvaluationResult } from '../src/schema/journal';
import { plot, type ViewOptions } from './chartData';
import { single } from './chartSpecs';
import { h, setText } from './dom';
import { fill, formatValue, type Unit } from './format';
import { words } from './host';
import type { RunModel } from './runModel';

interface Tile {
  readonly metric: string;
  readonly label: string;
  readonly caption: string;
  readonly unit: Unit;
  /** The same measure of an evaluation. */
  readonly evaluated?: (result: EvaluationResult) => number;
}

const reinforcement: readonly Tile[] = [
  { metric: 'reward/mean', label: words.reward, caption: words.meanOfStep, unit: 'signed' },
  {
    metric: 'reward/correct',
    label: words.correct,
    caption: words.ofTrajectories,
    unit: 'share',
    evaluated: ({ correct }) => correct,
  },
  {
    metric: 'reward/format',
    label: words.format,
    caption: words.boxFound,
    unit: 'share',
    evaluated: ({ format }) => format,
  },
  {
    metric: 'rollout/tool_rate',
    label: words.toolRate,
    caption: words.atLeastOneCall,
    unit: 'share',
    evaluated: ({ tool }) => tool,
  },
  { metric: 'sandbox/success_rate', label: words.toolSuccess, caption: words.ofCalls, unit: 'share' },
];
const coldStart: readonly Tile[] = [
  { metric: 'train/loss', label: words.loss, caption: words.coldStart, unit: 'number' },
];

/** Where a few metrics stand, as the curves end, and what they were before the reinforcement. */
export class Tiles {
  readonly element: HTMLElement;
  private readonly options: ViewOptions;
  private readonly caption = h('p', { class: 'caption', testid: 'tiles-caption' });
  private readonly row = h('div', { class: 'tiles', testid: 'tiles' });
  private readonly values = new Map<string, { value: HTMLElement; from: HTMLElement }>();
  private shown: readonly Tile[] | undefined;

  constructor(options: ViewOptions) {
    this.options = options;
    this.element = h('section', { class: 'tiles-section', 'aria-label': words.current }, this.caption, this.row);
  }

  update(model: RunModel): void {
    const begun = model.metrics.reinforcement.size > 0;
    const phase = begun ? 'reinforcement' : 'coldStart';
    const tiles = begun ? reinforcement : coldStart;
    const points = model.of(phase);
    this.element.hidden = points.length === 0;
    if (tiles !== this.shown) this.build(tiles);
    const caption = this.options.smoothing > 0 ? words.tilesCaptionSmoothed : words.tilesCaption;
    setText(this.caption, fill(caption, points.at(-1)?.step ?? 0));
    const before = begun ? model.run?.evaluations.find(({ id }) => id === 'before')?.result : undefined;
    for (const { metric, unit, evaluated } of tiles) {
      const parts = this.values.get(metric);
      const [series] = plot(single(phase, { metric, unit }), points, this.options, points[0]?.time ?? 0);
      if (!parts || !series) continue;
      const last = series.smoothed.at(-1);
      const first = series.raw[0];
      setText(parts.value, last === undefined ? '—' : formatValue(last[1], unit));
      const logged = series.raw.at(-1);
      if (logged) parts.value.title = fill(words.asLogged, formatValue(logged[1], unit), series.steps.at(-1) ?? 0);
      const from =
        before && evaluated
          ? fill(words.fromEvaluation, formatValue(evaluated(before), unit))
          : first && fill(words.fromStep, formatValue(first[1], unit), series.steps[0] ?? 0);
      setText(parts.from, from ?? '');
    }
  }

  private build(tiles: readonly Tile[]): void {
    this.shown = tiles;
    this.values.clear();
    this.row.replaceChildren(
      ...tiles.map(({ metric, label, caption }) => {
        const value = h('div', { class: 'tile-value', testid: `tile-${metric}` });
        const from = h('div', { class: 'tile-from secondary', testid: `tile-from-${metric}` });
        this.values.set(metric, { value, from });
        const top = h('div', { class: 'tile-top' }, h('span', {}, label), h('span', { class: 'caption' }, caption));
        return h('div', { class: 'tile' }, top, value, from);
      }),
    );
  }
}
