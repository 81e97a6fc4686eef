import { h, setText } from './dom';
import { fill, formatValue, type Unit } from './format';
import { words } from './host';
import type { RunModel } from './runModel';

interface Tile {
  readonly metric: string;
  readonly label: string;
  readonly caption: string;
  readonly unit: Unit;
}

const reinforcement: readonly Tile[] = [
  { metric: 'reward/mean', label: words.reward, caption: words.meanOfStep, unit: 'signed' },
  { metric: 'reward/correct', label: words.correct, caption: words.ofTrajectories, unit: 'share' },
  { metric: 'reward/format', label: words.format, caption: words.boxFound, unit: 'share' },
  { metric: 'rollout/tool_rate', label: words.toolRate, caption: words.atLeastOneCall, unit: 'share' },
  { metric: 'sandbox/success_rate', label: words.toolSuccess, caption: words.ofCalls, unit: 'share' },
];
const coldStart: readonly Tile[] = [
  { metric: 'train/loss', label: words.loss, caption: words.coldStart, unit: 'number' },
];

/** Steps that the value a run began with is the mean of. */
const beginning = 10;

/** The last logged value of a few metrics, and what they were at the beginning. Never smoothed. */
export class Tiles {
  readonly element = h('div', { class: 'tiles', testid: 'tiles' });
  private readonly values = new Map<string, { value: HTMLElement; from: HTMLElement }>();
  private shown: readonly Tile[] | undefined;

  update(model: RunModel): void {
    const begun = model.metrics.reinforcement.size > 0;
    const tiles = begun ? reinforcement : coldStart;
    const points = model.of(begun ? 'reinforcement' : 'coldStart');
    this.element.hidden = points.length === 0;
    if (tiles !== this.shown) this.build(tiles);
    for (const { metric, unit } of tiles) {
      const logged = points.flatMap(({ metrics }) => metrics[metric] ?? []);
      const first = logged.slice(0, beginning);
      const last = logged.at(-1);
      const parts = this.values.get(metric);
      if (!parts) continue;
      setText(parts.value, last === undefined ? '—' : formatValue(last, unit));
      const mean = first.reduce((sum, value) => sum + value, 0) / first.length;
      setText(parts.from, first.length === 0 ? '' : fill(words.from, formatValue(mean, unit)));
    }
  }

  private build(tiles: readonly Tile[]): void {
    this.shown = tiles;
    this.values.clear();
    this.element.replaceChildren(
      ...tiles.map(({ metric, label, caption }) => {
        const value = h('span', { class: 'tile-value', testid: `tile-${metric}` });
        const from = h('span', { class: 'secondary', testid: `tile-from-${metric}` });
        this.values.set(metric, { value, from });
        const top = h('div', { class: 'tile-top' }, h('span', {}, label), h('span', { class: 'caption' }, caption));
        return h('div', { class: 'tile' }, top, h('div', { class: 'tile-main' }, value, from));
      }),
    );
  }
}
