import { figureScene, shownOnly } from '../src/figures/comparisonFigure';
import type { ComparisonChoice, ToComparison } from '../src/schema/comparison';
import { ComparisonChanges } from './comparisonChanges';
import { ComparisonCharts } from './comparisonCharts';
import { ComparisonHeader } from './comparisonHeader';
import { ComparisonHeat } from './comparisonHeat';
import { host, source, words } from './comparisonHost';
import { brokenNotices, unlikeNotice } from './comparisonNotices';
import { ComparisonTable } from './comparisonTable';
import { h, setText } from './dom';
import { reportProblems } from './problems';
import { scenePng, themePalette } from './sceneView';
import { onThemeChange } from './theme';

const kept = host.getState();
let choice: ComparisonChoice = kept?.choice ?? {};
const hidden = new Set(kept?.hidden);
let compared: Extract<ToComparison, { type: 'compared' }> | undefined;

const header = new ComparisonHeader({ choose, hidden: () => [...hidden] });
const notices = h('div', { class: 'notices' });
const table = new ComparisonTable((id) => {
  if (!hidden.delete(id)) hidden.add(id);
  save();
  draw();
});
const charts = new ComparisonCharts();
const heat = new ComparisonHeat();
const changes = new ComparisonChanges();
const empty = h('p', { class: 'empty secondary', role: 'status', testid: 'status' }, words.loading);
const caption = h('p', { class: 'caption', testid: 'caption' });
const figures = h('div', {}, charts.element, heat.element, changes.element);
const main = h('main', {}, notices, table.element, figures, empty, caption);

function choose(next: ComparisonChoice): void {
  // Of another data set the host knows the baseline.
  choice = next.dataset === undefined ? { ...choice, ...next } : next;
  save();
  host.postMessage({ type: 'choose', choice });
}

const save = () => host.setState({ source, choice, hidden: [...hidden] });

function draw(): void {
  if (!compared) return;
  const { model, canEvaluate, broken } = compared;
  const palette = themePalette();
  const shown = shownOnly(model, [...hidden]);
  header.update(model, canEvaluate);
  notices.replaceChildren(...brokenNotices(broken), ...unlikeNotice(model, choose));
  table.update(model, hidden, palette);
  figures.hidden = shown.rows.length === 0;
  empty.hidden = !figures.hidden;
  setText(empty, words.nothingShown);
  setText(caption, model.caption);
  if (figures.hidden) return;
  charts.update(shown, palette);
  heat.update(shown, palette);
  changes.update(shown);
}

function fail(message: string): void {
  compared = undefined;
  main.replaceChildren(empty);
  setText(empty, message);
}

window.addEventListener('message', ({ data }: MessageEvent<ToComparison>) => {
  if (data.type === 'failed') return fail(data.message);
  if (data.type === 'draw') {
    if (!compared) return;
    const scene = figureScene(data.figure, shownOnly(compared.model, data.hidden), words);
    return host.postMessage({ type: 'picture', figure: data.figure, base64: scenePng(scene) });
  }
  compared = data;
  choice = { ...choice, dataset: data.model.dataset, baseline: data.model.baseline };
  save();
  main.replaceChildren(notices, table.element, figures, empty, caption);
  draw();
});

let width = window.innerWidth;
window.addEventListener('resize', () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  requestAnimationFrame(draw);
});
onThemeChange(draw);
reportProblems((message) => host.postMessage({ type: 'problem', message }));

document.getElementById('app')?.append(header.element, main);
save();
host.postMessage({ type: 'ready', choice });
