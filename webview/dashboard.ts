import type { ToDashboard } from '../src/schema/messages';
import type { ViewOptions } from './chartData';
import { ChartGrid } from './chartGrid';
import { type ChartView, chartKeysId } from './chartView';
import { h, setText } from './dom';
import { EvaluationView } from './evaluationView';
import { fill } from './format';
import { Header } from './header';
import { folder, host, words } from './host';
import { keyHelp } from './keyHelp';
import { Notices } from './notices';
import { reportProblems } from './problems';
import { RunModel } from './runModel';
import { Tiles } from './tiles';
import { Toolbar } from './toolbar';
import { registerToolkit } from './toolkit';
import { Tooltip } from './tooltip';

registerToolkit();

const kept = host.getState();
const options: ViewOptions = {
  smoothing: kept?.smoothing ?? 0.6,
  raw: kept?.raw ?? true,
  axis: kept?.axis ?? 'step',
  table: kept?.table ?? false,
  more: kept?.more ?? false,
};
const model = new RunModel();
const header = new Header();
const notices = new Notices();
const tiles = new Tiles(options);
const evaluation = new EvaluationView();
const tooltip = new Tooltip();
const help = keyHelp();
const spoken = h('div', { class: 'spoken', 'aria-live': 'polite', testid: 'crosshair' });
const empty = h(
  'div',
  { class: 'empty' },
  h('strong', {}, words.noStepsTitle),
  h('p', { class: 'secondary' }, words.noSteps),
);
const events = { hover: showStep, changed, open: (step: number) => host.postMessage({ type: 'openStep', step }) };
const grids = (['reinforcement', 'coldStart'] as const).map((phase) => new ChartGrid(phase, model, options, events));
const showAll = () => {
  for (const grid of grids) if (grid.zoomed) grid.zoom(undefined);
};
const toolbar = new Toolbar(options, { changed, help: () => help.showModal(), showAll });

/** Where a webview shares the editor's thread, drawing takes at most this part of the time. */
const drawingShare = 0.15;
const leastPauseMilliseconds = 150;
let due = false;
let rested: Promise<unknown> = Promise.resolve();

/** Draws soon, once for however many messages came, and then rests in proportion to what it cost. */
async function draw(): Promise<void> {
  if (due) return;
  due = true;
  await rested;
  requestAnimationFrame(() => {
    due = false;
    const began = performance.now();
    header.update(model);
    notices.update(model);
    tiles.update(model);
    evaluation.update(model);
    empty.hidden = model.points.length > 0;
    toolbar.element.hidden = model.points.length === 0;
    for (const grid of grids) grid.update();
    toolbar.showZoom(grids.some(({ zoomed }) => zoomed));
    const pause = Math.max(leastPauseMilliseconds, (performance.now() - began) / drawingShare);
    rested = new Promise((resolve) => setTimeout(resolve, pause));
  });
}

function changed(): void {
  save();
  rested = Promise.resolve();
  void draw();
}

function save(): void {
  host.setState({ folder, ...options });
}

// Tests compare the plotted values with the journal. They ask, since writing a long run out takes a while.
document.addEventListener('retool-plotted', () => {
  const element = document.getElementById('chart-data');
  if (element) setText(element, JSON.stringify(grids.flatMap((grid) => grid.plotted())));
});

let speaking: ReturnType<typeof setTimeout> | undefined;
function showStep(view: ChartView, step: number | undefined, pointer: MouseEvent | undefined): void {
  if (step === undefined || !pointer) tooltip.hide();
  else tooltip.show(view, step, model, pointer);
  clearTimeout(speaking);
  if (step === undefined) return;
  speaking = setTimeout(() => {
    const values = view.element.querySelector('.chart-values')?.textContent ?? '';
    setText(spoken, fill(words.crosshair, step, `${view.spec.id} ${values}`));
  }, 400);
}

window.addEventListener('message', ({ data }: MessageEvent<ToDashboard>) => {
  if (!model.apply(data)) {
    host.postMessage({ type: 'resync' });
    return;
  }
  if (data.type === 'snapshot' && kept?.smoothing === undefined && host.getState()?.smoothing === undefined) {
    options.smoothing = data.smoothing;
    toolbar.update();
  }
  document.body.classList.remove('loading');
  void draw();
});

window.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || help.open || event.target instanceof HTMLInputElement) return;
  if (event.key === 't') options.table = !options.table;
  else if (event.key === 'r') options.raw = !options.raw;
  else if (event.key === '0') showAll();
  else {
    if (event.key === '?') help.showModal();
    return;
  }
  tooltip.hide();
  toolbar.update();
  changed();
});

reportProblems((message) => host.postMessage({ type: 'problem', message }));

document.body.classList.add('loading');
document
  .getElementById('app')
  ?.append(
    header.element,
    notices.element,
    h('main', {}, tiles.element, evaluation.element, toolbar.element, empty, ...grids.map(({ element }) => element)),
    spoken,
    h('div', { id: chartKeysId, hidden: true }, words.chartKeys),
    tooltip.element,
    help,
  );
if (!kept) host.setState({ folder });
host.postMessage({ type: 'ready' });
