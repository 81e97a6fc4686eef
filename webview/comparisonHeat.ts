import { mostSentence, samplesText } from '../src/figures/comparisonFigure';
import { columnPitch, drawnProblems, heatBlocks, heatCell, legendShares } from '../src/figures/heatMap';
import { baselineLabel, markedLabel } from '../src/figures/marks';
import { fill } from '../src/figures/numbers';
import { type Palette, tone } from '../src/figures/palette';
import { fitted, labelRoom } from '../src/figures/scene';
import type { ComparedRow, ComparisonModel } from '../src/schema/comparison';
import { host, words } from './comparisonHost';
import { h, on } from './dom';
import { GridFocus } from './gridFocus';

/** Below this width, pixels, a map of many columns is split in two. */
const narrow = 760;

/** Problems by evaluations: the count of correct samples in every cell. */
export class ComparisonHeat {
  readonly element = h('section', { class: 'heat', testid: 'heat' });
  private grids: { readonly table: HTMLTableElement; readonly focus: GridFocus }[] = [];

  update(whole: ComparisonModel, palette: Palette): void {
    const model = drawnProblems(whole);
    const { problems } = model;
    const isNarrow = window.innerWidth < narrow;
    const names = model.rows.map(markedLabel);
    const labelWidth = isNarrow
      ? labelRoom(names, 11, 72, 108)
      : labelRoom(names, 11, 92, this.element.clientWidth * 0.2);
    const room = this.element.clientWidth - labelWidth;
    const fit = Math.floor(room / columnPitch(model, isNarrow ? 20 : 22));
    const most = isNarrow ? Math.min(fit, Math.max(15, Math.ceil(problems.length / 2))) : fit;
    const blocks = heatBlocks(problems.length, most);
    if (this.grids.length !== blocks.length) this.grids = blocks.map(() => this.grid());
    const columns = blocks[0]?.to ?? 1;
    blocks.forEach(({ from, to }, index) => {
      const { table, focus } = this.grids[index]!;
      table.setAttribute('aria-label', words.heat);
      const corner = h('td', {});
      corner.style.width = `${labelWidth}px`;
      const head = h(
        'tr',
        {},
        corner,
        ...problems
          .slice(from, to)
          .map(({ id, label, question }) => h('th', { scope: 'col', title: `${id}: ${question}` }, label)),
        ...filler(columns - (to - from)),
      );
      const rows = model.rows.map((row) =>
        h(
          'tr',
          { 'data-id': row.id },
          h('th', { scope: 'row', title: markedLabel(row) }, fitted(markedLabel(row), 11, labelWidth - 6)),
          ...problems.slice(from, to).map(({ id, label }, at) => cell(row, row.counts[from + at], id, label, palette)),
          ...filler(columns - (to - from)),
        ),
      );
      focus.replace(h('thead', {}, head), h('tbody', {}, ...rows));
    });
    const order = fill(words.heatOrder, samplesText(model), baselineLabel(model));
    this.element.replaceChildren(
      h(
        'div',
        { class: 'heat-head' },
        h('b', {}, words.heat),
        h('span', { class: 'secondary' }, order),
        h('span', { class: 'spring' }),
        scale(model, palette),
      ),
      ...mostSentence(whole, words).map((sentence) =>
        h('p', { class: 'heat-most secondary', testid: 'heat-most' }, sentence),
      ),
      ...this.grids.map(({ table }) => table),
    );
  }

  private grid() {
    const table = h('table', {});
    const open = (cell: HTMLElement) => {
      const [evaluation, problem] = [cell.closest('tr')?.dataset.id, cell.dataset.problem];
      if (evaluation !== undefined && problem !== undefined) host.postMessage({ type: 'open', evaluation, problem });
    };
    on(table, 'click', ({ target }) => {
      const clicked = (target as HTMLElement).closest<HTMLElement>('[data-cell]');
      if (clicked) open(clicked);
    });
    return { table, focus: new GridFocus(table, { open }) };
  }
}

function cell(
  { label }: ComparedRow,
  count: ComparedRow['counts'][number],
  problem: string,
  name: string,
  palette: Palette,
): HTMLElement {
  const { text, fill: ground, ink } = heatCell(count, palette);
  const sentence = count
    ? fill(words.heatCell, label, name, count.correct, count.samples)
    : fill(words.heatNone, label, name);
  const element = h(
    'td',
    { 'data-cell': true, 'data-problem': problem, tabindex: '-1', 'aria-label': sentence, title: sentence },
    text,
  );
  element.style.background = ground;
  element.style.color = ink;
  return element;
}

/** Keeps the cells of the last block as wide as those above. */
const filler = (cells: number): HTMLElement[] => Array.from({ length: cells }, () => h('td', { class: 'filler' }));

/** From none to all samples. */
function scale(model: ComparisonModel, palette: Palette): HTMLElement {
  const swatches = legendShares(model.samples).map((share) => {
    const swatch = h('i', {});
    swatch.style.background = tone(palette, share);
    return swatch;
  });
  return h('span', { class: 'heat-scale secondary', 'aria-hidden': 'true' }, '0', ...swatches, samplesText(model));
}
