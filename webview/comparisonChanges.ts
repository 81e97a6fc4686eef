import { baselineLabel } from '../src/figures/comparisonFigure';
import { fill } from '../src/figures/numbers';
import type { ComparedRow, ComparisonModel } from '../src/schema/comparison';
import { host, words } from './comparisonHost';
import { h, on } from './dom';

/** Problems gained and lost against the baseline; each opens a trajectory that shows it. */
export class ComparisonChanges {
  readonly element = h('section', { class: 'changes', testid: 'changes' });

  update(model: ComparisonModel): void {
    const rows = model.rows.filter(({ paired }) => paired);
    this.element.hidden = rows.length === 0;
    const labels = new Map(model.problems.map(({ id, label }) => [id, label]));
    this.element.replaceChildren(
      h(
        'div',
        { class: 'heat-head' },
        h('b', {}, fill(words.changes, baselineLabel(model))),
        h('span', { class: 'secondary' }, words.changesWhat),
      ),
      h(
        'dl',
        {},
        ...rows.flatMap((row) => [
          h('dt', {}, row.label),
          h('dd', {}, change(row, 'gained', labels), change(row, 'lost', labels)),
        ]),
      ),
    );
  }
}

function change(row: ComparedRow, kind: 'gained' | 'lost', labels: ReadonlyMap<string, string>): HTMLElement {
  const problems = row[kind];
  const sign = kind === 'gained' ? '+' : '\u2212';
  const buttons = problems.map((problem) => {
    const label = labels.get(problem) ?? problem;
    const sentence = fill(kind === 'gained' ? words.openGained : words.openLost, row.label, label);
    const button = h('button', { type: 'button', class: 'link', title: sentence, 'aria-label': sentence }, label);
    const wants = kind === 'gained' ? 'correct' : 'incorrect';
    on(button, 'click', () => host.postMessage({ type: 'open', evaluation: row.id, problem, wants }));
    return button;
  });
  return h(
    'div',
    { class: kind },
    h('b', {}, problems.length === 0 ? '0' : `${sign}${problems.length}`),
    h('span', { class: 'secondary' }, words[kind]),
    ...(buttons.length > 0 ? buttons : [h('span', { class: 'secondary' }, words.noChange)]),
  );
}
