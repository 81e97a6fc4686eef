import { columnsOf } from '../src/figures/comparisonTable';
import { glyphTicks, intervalGlyph } from '../src/figures/intervalGlyph';
import { markedLabel } from '../src/figures/marks';
import { fill } from '../src/figures/numbers';
import type { Palette } from '../src/figures/palette';
import { fitted } from '../src/figures/scene';
import type { ComparedRow, ComparisonModel } from '../src/schema/comparison';
import { host, words } from './comparisonHost';
import { h, on } from './dom';
import { GridFocus } from './gridFocus';
import { sceneElement } from './sceneView';

const glyphWidth = 144;
/** Cautions that are read at once. */
const mostCautions = 4;
/** Pixels of a name; the whole is in its tooltip. */
const nameWidth = () => (window.innerWidth > 760 ? 270 : window.innerWidth > 520 ? 150 : 96);

/** The evaluations as rows; a check mark says whether the figures show one. */
export class ComparisonTable {
  readonly element: HTMLElement;
  private readonly table = h('table', { class: 'evaluations', 'aria-multiselectable': 'true', testid: 'evaluations' });
  private readonly cautions = h('ul', { class: 'cautions secondary', testid: 'cautions' });
  private readonly grid: GridFocus;
  private readonly toggle: (id: string) => void;

  constructor(toggle: (id: string) => void) {
    this.toggle = toggle;
    const idOf = (cell: HTMLElement) => cell.closest<HTMLElement>('tr')?.dataset.id;
    this.grid = new GridFocus(this.table, {
      open: (cell) => open(idOf(cell)),
      toggle: (cell) => {
        const id = idOf(cell);
        if (id !== undefined) toggle(id);
      },
    });
    const keys = h('p', { class: 'spoken', id: 'grid-keys' }, words.keys);
    this.table.setAttribute('aria-describedby', 'grid-keys');
    this.element = h('section', {}, this.table, this.cautions, keys);
  }

  update(model: ComparisonModel, hidden: ReadonlySet<string>, palette: Palette): void {
    const columns = columnsOf(model, words);
    const ticks = glyphTicks(model.rows);
    this.table.setAttribute('aria-label', fill(words.table, model.dataset));
    const head = h(
      'tr',
      {},
      h('th', { scope: 'col' }, words.checkpoint),
      h(
        'th',
        { class: 'glyph-column', 'aria-hidden': 'true' },
        h('span', { class: 'ticks secondary' }, ...ticks.map((tick) => h('span', {}, tickText(tick)))),
      ),
      ...columns.map(({ key, title }) => h('th', { scope: 'col', class: `number ${key}`, title }, title)),
    );
    const rows = model.rows.map((row) => {
      const shown = !hidden.has(row.id);
      return h(
        'tr',
        {
          'data-id': row.id,
          'aria-selected': String(shown),
          class: row.id === model.baseline ? 'baseline' : undefined,
        },
        this.nameCell(row, shown),
        h(
          'td',
          { class: 'glyph-column', 'aria-hidden': 'true' },
          sceneElement(intervalGlyph(row, ticks[2]!, glyphWidth, palette)),
        ),
        ...columns.map(({ key, text, more }) =>
          h(
            'td',
            {
              class: `number ${key}`,
              'data-cell': true,
              tabindex: '-1',
              title: more?.(row),
              ...(key === 'difference' && doubt(row)),
            },
            text(row),
          ),
        ),
      );
    });
    this.grid.replace(h('thead', {}, head), h('tbody', {}, ...rows));
    const sentences = model.rows.flatMap((row) => row.cautions.map((caution) => [row.label, caution] as const));
    const lines = sentences.map(([label, caution]) =>
      h('li', {}, h('span', { class: 'sign', 'aria-hidden': 'true' }, '⚠ '), `${label}: ${caution}`),
    );
    const rest = lines.splice(mostCautions);
    const folded = h('details', {}, h('summary', {}, fill(words.unlikeMore, rest.length)), h('ul', {}, ...rest));
    this.cautions.replaceChildren(...lines, ...(rest.length > 0 ? [h('li', {}, folded)] : []));
  }

  private nameCell(row: ComparedRow, shown: boolean): HTMLElement {
    const { id, note, cautions } = row;
    const label = markedLabel(row);
    const box = h('input', { type: 'checkbox', tabindex: '-1', 'aria-hidden': 'true', testid: `shown-${id}` });
    box.checked = shown;
    on(box, 'change', () => this.toggle(id));
    const name = h('span', { class: 'open-row', title: fill(words.openRow, label) }, fitted(label, 13, nameWidth()));
    on(name, 'click', () => open(id));
    return h(
      'th',
      {
        scope: 'row',
        class: 'name',
        'data-cell': true,
        tabindex: '-1',
        title: [label, note, ...row.otherwise].filter(Boolean).join('\n'),
      },
      box,
      name,
      ...(note ? [h('span', { class: 'secondary wide' }, ` · ${note}`)] : []),
      ...(cautions.length > 0
        ? [h('span', { class: 'sign', role: 'img', 'aria-label': cautions.join(' '), title: cautions.join('\n') }, '⚠')]
        : []),
    );
  }
}

/** A difference that may be chance is not written in bold. */
const doubt = ({ paired }: ComparedRow) =>
  paired && paired.low <= 0 && paired.high >= 0 ? { 'data-doubt': true } : {};

const tickText = (share: number): string => (share === 0 ? '0' : `${Number((share * 100).toFixed(1))}`);

function open(id: string | undefined): void {
  if (id !== undefined) host.postMessage({ type: 'open', evaluation: id });
}
