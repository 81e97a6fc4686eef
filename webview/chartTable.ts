import type { PlottedSeries } from './chartData';
import type { ChartSpec } from './chartSpecs';
import { h } from './dom';
import { fill, formatValue } from './format';
import { words } from './host';

/** The logged values of a chart, newest first: for whoever does not see the curve. */
export function chartTable(spec: ChartSpec, series: readonly PlottedSeries[]): HTMLElement {
  const steps = [...new Set(series.flatMap((one) => one.steps))].sort((a, b) => b - a);
  const columns = series.map(({ spec: { label }, steps: at, raw }) => ({
    label,
    values: new Map(at.map((step, i) => [step, raw[i]?.[1]])),
  }));
  const head = h(
    'tr',
    {},
    h('th', { scope: 'col' }, words.step),
    ...columns.map(({ label }) => h('th', { scope: 'col' }, label)),
  );
  const rows = steps.map((step) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, String(step)),
      ...columns.map(({ values }) => {
        const value = values.get(step);
        return h('td', {}, value === undefined ? '' : formatValue(value, spec.unit));
      }),
    ),
  );
  const caption = h('caption', { class: 'spoken' }, fill(words.tableOf, spec.title ?? spec.id));
  const table = h('table', {}, caption, h('thead', {}, head), h('tbody', {}, ...rows));
  return h('div', { class: 'chart-table', tabindex: '0' }, table);
}
