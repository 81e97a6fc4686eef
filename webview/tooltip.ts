import type { ChartView } from './chartView';
import { h } from './dom';
import { fill, formatValue } from './format';
import { words } from './host';
import type { RunModel } from './runModel';

const gap = 14;
/** Below this width the values in the headers of the charts are enough. */
const narrow = 760;

/** One box beside the pointer: smoothed and logged values of the step under it. */
export class Tooltip {
  readonly element = h('div', { class: 'tooltip', 'aria-hidden': 'true', testid: 'tooltip' });

  constructor() {
    this.element.hidden = true;
  }

  show(view: ChartView, step: number, model: RunModel, { clientX, clientY }: MouseEvent): void {
    if (window.innerWidth < narrow) {
      this.hide();
      return;
    }
    const { spec } = view;
    const point = model.points.findLast((candidate) => candidate.phase === spec.phase && candidate.step === step);
    const when = point
      ? new Date(point.time).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' })
      : '';
    const rows = view.series.flatMap((series) => {
      const value = view.valueAt(series, step);
      if (!value) return [];
      const label = view.series.length > 1 ? series.spec.label : words.thisRun;
      const logged = spec.kind === 'stack' ? '' : `${words.logged} ${formatValue(value.raw, spec.unit)}`;
      return [
        h('span', {}, label),
        h('b', {}, formatValue(value.smoothed, spec.unit)),
        h('span', { class: 'secondary' }, logged),
      ];
    });
    const title = h('div', {}, h('b', {}, `${words.step} ${step}`), h('span', { class: 'secondary' }, ` · ${when}`));
    const opens =
      spec.phase === 'reinforcement'
        ? [h('div', { class: 'secondary' }, h('kbd', {}, 'Enter'), ' ', fill(words.openStep, step))]
        : [];
    this.element.replaceChildren(title, h('div', { class: 'tooltip-rows' }, ...rows), ...opens);
    this.element.hidden = false;
    const { width, height } = this.element.getBoundingClientRect();
    const x = clientX + gap + width > window.innerWidth ? clientX - gap - width : clientX + gap;
    const y = clientY + gap + height > window.innerHeight ? clientY - gap - height : clientY + gap;
    this.element.style.left = `${Math.max(4, x)}px`;
    this.element.style.top = `${Math.max(4, y)}px`;
  }

  hide(): void {
    this.element.hidden = true;
  }
}
