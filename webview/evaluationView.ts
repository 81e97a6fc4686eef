import { wilson } from '../src/lib/wilsonInterval';
import type { EvaluationResult } from '../src/schema/journal';
import type { EvaluationRow } from '../src/schema/messages';
import { h } from './dom';
import { fill, formatValue } from './format';
import { words } from './host';
import type { RunModel } from './runModel';

interface Share {
  readonly share: number;
  readonly n: number;
  /** Where it is not that of n independent observations. */
  readonly interval?: EvaluationResult['interval'];
}

interface Measure {
  readonly name: string;
  readonly of: (result: EvaluationResult) => Share | undefined;
}

/** Held-out problems before and after: a table whose cells carry their interval as a bar. */
export class EvaluationView {
  readonly element = h('section', { class: 'evaluation', 'aria-label': words.evaluation, testid: 'evaluation' });
  private shown = '';

  update({ run }: RunModel): void {
    const rows = run?.evaluations ?? [];
    this.element.hidden = rows.length === 0;
    const signature = JSON.stringify([rows, run?.evaluating]);
    if (signature === this.shown || rows.length === 0) return;
    this.shown = signature;
    const measures = measuresOf(rows);
    const first = rows.find(({ result }) => result)?.result;
    const last = rows.length > 1 ? rows.at(-1)?.result : undefined;
    const head = h(
      'tr',
      {},
      h('th', { scope: 'col' }, words.measure),
      ...rows.map((row) => h('th', { scope: 'col' }, ...headingOf(row, run?.evaluating ?? null))),
      ...(last ? [h('th', { scope: 'col', class: 'change' }, words.change)] : []),
    );
    const body = measures.map(({ name, of }) =>
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, name),
        ...rows.map((row, i) => cell(row, i > 0, of, Boolean(run?.evaluating))),
        ...(last ? [h('td', { class: 'change' }, change(first ? of(first) : undefined, of(last)))] : []),
      ),
    );
    const sizes = last ?? first;
    const [problems, samples] = [sizes?.problems ?? 0, sizes?.samples ?? 0].map((count) => formatValue(count, 'count'));
    const sentence = sizes ? fill(words.evaluationCaption, problems!, samples!) : '';
    const caption = h('caption', {}, h('b', {}, words.evaluation), ' ', h('span', { class: 'caption' }, sentence));
    const table = h('table', {}, caption, h('thead', {}, head), h('tbody', {}, ...body));
    table.style.setProperty('--columns', String(rows.length));
    this.element.replaceChildren(table);
  }
}

function measuresOf(rows: readonly EvaluationRow[]): Measure[] {
  const kinds = [...new Set(rows.flatMap(({ result }) => Object.keys(result?.byKind ?? {})))].sort();
  // What is said of the only kind is said of all.
  const told = kinds.length > 1 ? kinds : [];
  return [
    { name: words.correct, of: ({ correct, samples, interval }) => ({ share: correct, n: samples, interval }) },
    { name: words.toolRate, of: ({ tool, samples }) => ({ share: tool, n: samples }) },
    { name: words.format, of: ({ format, samples }) => ({ share: format, n: samples }) },
    ...(rows.some(({ result }) => result?.unknown)
      ? [
          {
            name: words.notUnderstood,
            of: ({ unknown, samples }: EvaluationResult) =>
              unknown === undefined ? undefined : { share: unknown, n: samples },
          },
        ]
      : []),
    {
      name: words.correctWithTool,
      of: ({ correctWithTool, tool, samples }) =>
        correctWithTool === null ? undefined : { share: correctWithTool, n: Math.round(tool * samples) },
    },
    ...told.flatMap((kind): Measure[] => [
      { name: fill(words.kindCorrect, kind), of: ({ byKind }) => part(byKind[kind], 'correct') },
      { name: fill(words.kindTool, kind), of: ({ byKind }) => part(byKind[kind], 'tool') },
    ]),
  ];
}

const part = (row: EvaluationResult['byKind'][string] | undefined, key: 'correct' | 'tool') =>
  row && { share: row[key], n: row.samples };

/** Its name, and the moment that it is of where that says more. */
function headingOf(row: EvaluationRow, evaluating: object | null): (HTMLElement | string)[] {
  const [title, moment] = [titleOf(row), momentOf(row, evaluating)];
  return moment === title ? [title] : [title, ' ', h('span', { class: 'secondary' }, moment)];
}

function titleOf({ id, step }: EvaluationRow): string {
  if (id === 'before') return words.before;
  return id === 'after' ? words.after : /^step-\d+$/.test(id) ? fill(words.atStep, step) : id;
}

/** How far it is while it goes on; then the moment that it is of. */
function momentOf({ phase, step, result, done, rollouts }: EvaluationRow, evaluating: object | null): string {
  if (!result && evaluating)
    return fill(words.evaluatingOf, formatValue(done, 'count'), formatValue(rollouts, 'count'));
  return phase === 'coldStart' ? words.afterColdStart : fill(words.atStep, step);
}

function cell(row: EvaluationRow, filled: boolean, of: Measure['of'], running: boolean): HTMLElement {
  const { result } = row;
  if (!result) return h('td', { class: 'secondary' }, running ? '…' : words.unfinished);
  const value = of(result);
  if (!value) return h('td', { class: 'secondary' }, '—');
  const { low, high } = value.interval ?? wilson(value.share, value.n);
  const bar = h('span', { class: filled ? 'share filled' : 'share' });
  bar.style.width = `${value.share * 100}%`;
  const whisker = h('span', { class: 'whisker' });
  whisker.style.left = `${low * 100}%`;
  whisker.style.width = `${(high - low) * 100}%`;
  const title = `${formatValue(low, 'share')} – ${formatValue(high, 'share')}, n = ${formatValue(value.n, 'count')}`;
  return h(
    'td',
    { title },
    h(
      'span',
      { class: 'cell' },
      h('span', { class: 'number' }, formatValue(value.share, 'share')),
      h('span', { class: 'track', 'aria-hidden': 'true' }, bar, whisker),
    ),
  );
}

function change(before: { share: number } | undefined, after: { share: number } | undefined): string {
  if (!before || !after) return '';
  const points = (after.share - before.share) * 100;
  return `${points > 0 ? '+' : points < 0 ? '\u2212' : ''}${Math.abs(points).toFixed(1)} pp`;
}
