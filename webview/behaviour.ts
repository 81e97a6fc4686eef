import type {
  BehaviourCorrection,
  BehaviourMeasure,
  BehaviourRow,
  BehaviourState,
  BehaviourWords,
  FromBehaviour,
  ToBehaviour,
} from '../src/schema/behaviour';
import type { StepPoint } from '../src/schema/runState';
import { behaviourSpecs, pointOf } from './behaviourCharts';
import { plot, type ViewOptions } from './chartData';
import type { ChartSpec } from './chartSpecs';
import { ChartView, chartKeysId } from './chartView';
import { button, h, on, setText } from './dom';
import { fill, formatValue } from './format';
import { words as dashboardWords } from './host';
import { hostOf, json } from './page';
import { reportProblems } from './problems';
import { onThemeChange, readTheme } from './theme';

const host = hostOf<FromBehaviour, BehaviourState>();
const words = (dashboardWords as BehaviourWords).behaviour;
const measures = json('measures') as readonly BehaviourMeasure[];
const panel = json('panel') as BehaviourState & { readonly title: string };
const sides = ['all', 'correct', 'incorrect'] as const;
const sideWords = { all: words.all, correct: words.right, incorrect: words.wrong };
const correctionsAtOnce = 100;

const rows: BehaviourRow[] = [];
let planned: Extract<ToBehaviour, { type: 'planned' }> | undefined;
let selected: BehaviourRow | undefined;
/** False until a person chooses: then the newest row stays selected. */
let chosen = false;
let limit = correctionsAtOnce;
const options: ViewOptions = { smoothing: 0, raw: false, axis: 'step', table: false, more: false };

const title = h('h1', {}, panel.title);
const caption = h('p', { class: 'secondary', role: 'status', testid: 'behaviour-caption' }, words.reading);
const progress = h('progress', { 'aria-label': words.reading, testid: 'behaviour-progress' });
const cancel = button(words.cancel, () => host.postMessage({ type: 'cancel' }), 'behaviour-cancel');
const reading = h('div', { class: 'reading' }, progress, cancel);
const help = h('p', { class: 'caption', id: chartKeysId }, words.chartHelp);
const grid = h('section', { class: 'grid', testid: 'behaviour-charts' });
const heading = h('h2', {});
const facts = h('p', { class: 'caption' });
const openPlace = button(
  words.openAll,
  () => selected && host.postMessage({ type: 'openPlace', place: selected.place }),
  'behaviour-open',
);
const table = h('table', { testid: 'behaviour-table' });
const bars = h('table', { class: 'purposes', testid: 'behaviour-purposes' });
const corrections = h('section', { class: 'corrections', testid: 'behaviour-corrections' });
const detail = h(
  'div',
  { class: 'place' },
  h('div', { class: 'place-head' }, heading, openPlace),
  facts,
  h('div', { class: 'beside' }, table, bars),
);
const views = panel.place
  ? []
  : behaviourSpecs(measures, sideWords, words).map((spec) => new ChartView(spec, readTheme()));

function stepOf(row: BehaviourRow): number | undefined {
  return 'step' in row.place ? row.place.step : undefined;
}

function drawCharts(): void {
  const points = rows.flatMap((row) => pointOf(row) ?? []);
  help.hidden = views.length === 0 || points.length === 0;
  if (points.length === 0) return;
  const [first, last] = [points[0]!.step, points.at(-1)!.step];
  const frame = {
    options,
    theme: readTheme(),
    x: { from: points.length > 1 ? first : first - 1, to: points.length > 1 ? last : last + 1 },
    checkpoints: [],
    live: false,
  };
  for (const view of views) {
    view.update(plotted(view.spec, points), frame, true);
    view.showCrosshair(chosen && selected ? stepOf(selected) : undefined);
  }
}

/** What a stack has no share of takes no room in it. */
function plotted(spec: ChartSpec, points: readonly StepPoint[]) {
  const all = plot(spec, points, options, 0);
  return spec.kind === 'stack' ? all.filter(({ raw }) => raw.some(([, value]) => value > 0)) : all;
}

function select(step: number | undefined): void {
  const row = rows.find((candidate) => stepOf(candidate) === step);
  if (!row) return;
  chosen = true;
  selected = row;
  for (const view of views) view.showCrosshair(step);
  drawPlace();
}

const written = ({ form }: BehaviourMeasure, value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : formatValue(value, form === 'share' ? 'share' : 'number');

function drawPlace(): void {
  detail.hidden = !selected;
  if (!selected) return;
  const { counts, leftOut } = selected;
  const unknown = counts.all - counts.correct - counts.incorrect;
  const step = stepOf(selected);
  heading.hidden = step === undefined;
  setText(heading, step === undefined ? '' : fill(words.placeOf, step));
  const count = (value: number) => formatValue(value, 'count');
  setText(
    facts,
    [
      fill(words.counts, count(counts.all), count(counts.correct), count(counts.incorrect)),
      ...(unknown > 0 ? [fill(words.notUnderstood, count(unknown))] : []),
      ...(leftOut > 0 ? [fill(words.leftOut, count(leftOut))] : []),
    ].join(' '),
  );
  const row = (measure: BehaviourMeasure) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, measure.label),
      ...sides.map((side) => h('td', {}, written(measure, selected?.[side][measure.name]))),
    );
  const head = (name: string) =>
    h(
      'thead',
      {},
      h('tr', {}, h('th', { scope: 'col' }, name), ...sides.map((side) => h('th', { scope: 'col' }, sideWords[side]))),
    );
  const isPurpose = ({ name }: BehaviourMeasure) => name.startsWith('purpose/');
  const plain = measures.filter((measure) => !isPurpose(measure));
  table.replaceChildren(head(words.measure), h('tbody', {}, ...plain.map(row)));
  bars.replaceChildren(
    head(words.purpose),
    h('tbody', {}, ...measures.filter(isPurpose).map((measure) => purposeRow(measure))),
  );
}

function purposeRow(measure: BehaviourMeasure): HTMLElement {
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, measure.label),
    ...sides.map((side) => {
      const value = selected?.[side][measure.name];
      const bar = h('span', { class: `share ${side}` });
      bar.style.width = `${(value ?? 0) * 100}%`;
      return h(
        'td',
        {},
        h(
          'span',
          { class: 'cell' },
          h('span', { class: 'number' }, written(measure, value)),
          h('span', { class: 'track', 'aria-hidden': 'true' }, bar),
        ),
      );
    }),
  );
}

function drawCorrections(): void {
  const all = rows.toReversed().flatMap((row) => row.corrections.map((correction) => ({ row, correction })));
  const item = ({ row, correction }: { row: BehaviourRow; correction: BehaviourCorrection }) => {
    const { problemId, branch, failedTurn, correctedTurn, failure, similarity } = correction;
    const step = stepOf(row);
    const where = [...(step === undefined ? [] : [fill(words.placeOf, step)]), `${problemId} · ${branch}`].join(' · ');
    const opener = h('button', { type: 'button', class: 'link' }, where);
    on(opener, 'click', () => host.postMessage({ type: 'open', place: row.place, problemId, branch }));
    const told = fill(words.correction, failedTurn, correctedTurn, formatValue(similarity, 'number'));
    return h('li', {}, opener, ` ${told} `, h('code', {}, failure));
  };
  const more = button(fill(words.more, Math.min(correctionsAtOnce, all.length - limit)), () => {
    limit += correctionsAtOnce;
    drawCorrections();
  });
  corrections.hidden = rows.length === 0;
  corrections.replaceChildren(
    h('h2', {}, words.corrections),
    ...(all.length === 0
      ? [h('p', { class: 'secondary' }, words.noCorrections)]
      : [h('ul', {}, ...all.slice(0, limit).map(item))]),
    ...(all.length > limit ? [more] : []),
  );
}

function drawProgress(ended: boolean): void {
  reading.hidden = ended;
  const { places = 0, stored = 0 } = planned ?? {};
  if (planned) {
    progress.max = places;
    progress.value = rows.length;
  }
  if (!ended && places > 1) setText(caption, fill(words.readingOf, rows.length, places));
  else if (ended) setText(caption, rows.length < stored ? fill(words.sampled, rows.length, stored) : '');
}

function draw(ended: boolean): void {
  drawProgress(ended);
  drawCharts();
  drawPlace();
  drawCorrections();
}

for (const view of views) {
  const { element } = view;
  grid.append(element);
  on(element, 'mousemove', ({ clientX }) => {
    for (const each of views) each.showCrosshair(view.stepAt(clientX));
  });
  on(element, 'mouseleave', () => {
    for (const each of views) each.showCrosshair(chosen && selected ? stepOf(selected) : undefined);
  });
  on(element, 'click', ({ clientX }) => {
    if (!options.table) select(view.stepAt(clientX));
  });
  on(element, 'keydown', (event) => {
    const steps = rows.flatMap((row) => stepOf(row) ?? []);
    const at = steps.indexOf((selected && stepOf(selected)) ?? -1);
    const far = event.shiftKey ? 10 : 1;
    const last = steps.length - 1;
    const to = { ArrowLeft: Math.max(0, at - far), ArrowRight: Math.min(last, at + far), Home: 0, End: last }[
      event.key
    ];
    if (to !== undefined) select(steps[to]);
    else if (event.key === 'Enter' && selected) host.postMessage({ type: 'openPlace', place: selected.place });
    else if (event.key === 't') {
      options.table = !options.table;
      drawCharts();
    } else return;
    event.preventDefault();
  });
}

window.addEventListener('message', ({ data }: MessageEvent<ToBehaviour>) => {
  if (data.type === 'planned') {
    planned = data;
    rows.length = 0;
    drawProgress(false);
  } else if (data.type === 'row') {
    rows.push(data.row);
    if (!chosen) selected = data.row;
    draw(false);
  } else if (data.type === 'ended') {
    draw(true);
    if (data.cancelled) setText(caption, fill(words.cancelled, rows.length, planned?.places ?? 0));
  } else {
    reading.hidden = true;
    setText(caption, data.message);
  }
});

onThemeChange(drawCharts);
reportProblems((message) => host.postMessage({ type: 'problem', message }));
document.getElementById('app')?.append(title, caption, reading, help, grid, detail, corrections);
detail.hidden = true;
corrections.hidden = true;
help.hidden = true;
const { title: _title, ...state } = panel;
host.setState(state);
host.postMessage({ type: 'ready' });
