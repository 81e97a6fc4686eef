import { baselineLabel, markedLabel } from '../src/figures/marks';
import { countText, fill } from '../src/figures/numbers';
import { fitted } from '../src/figures/scene';
import type { ComparedRow, ComparisonModel } from '../src/schema/comparison';
import { host, words } from './comparisonHost';
import { button, h, on } from './dom';

/** Problems gained and lost against the baseline; each opens a trajectory that shows it. */
export class ComparisonChanges {
  readonly element = h('section', { class: 'changes', testid: 'changes' });
  /** Those of which a person wants to see all. */
  private readonly unfolded = new Set<string>();

  update(model: ComparisonModel): void {
    const rows = model.rows.filter(({ paired }) => paired);
    this.element.hidden = rows.length === 0;
    const problems = new Map(model.problems.map((problem) => [problem.id, problem]));
    const side = (row: ComparedRow, kind: Kind) => {
      const key = `${kind} ${row.id}`;
      return change(row, kind, problems, this.unfolded.has(key), () => {
        this.unfolded.add(key);
        this.update(model);
        this.element
          .querySelector<HTMLElement>(`[data-side="${CSS.escape(key)}"] .link:nth-of-type(${shownFirst + 1})`)
          ?.focus();
      });
    };
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
          h('dt', { title: markedLabel(row) }, fitted(markedLabel(row), 12, 190)),
          h('dd', {}, side(row, 'gained'), side(row, 'lost')),
        ]),
      ),
    );
  }
}

type Kind = 'gained' | 'lost';

/** Problems that are shown before somebody asks for the rest. */
const shownFirst = 24;

function change(
  row: ComparedRow,
  kind: Kind,
  known: ReadonlyMap<string, ComparisonModel['problems'][number]>,
  all: boolean,
  unfold: () => void,
): HTMLElement {
  const problems = row[kind];
  const shown = all ? problems : problems.slice(0, shownFirst);
  const sign = kind === 'gained' ? '+' : '\u2212';
  const buttons = shown.map((problem) => {
    const { label = problem, question = '' } = known.get(problem) ?? {};
    const sentence = fill(kind === 'gained' ? words.openGained : words.openLost, row.label, label);
    const title = [question, sentence].filter(Boolean).join('\n\n');
    const link = h('button', { type: 'button', class: 'link', title, 'aria-label': sentence }, label);
    const wants = kind === 'gained' ? 'correct' : 'incorrect';
    on(link, 'click', () => host.postMessage({ type: 'open', evaluation: row.id, problem, wants }));
    return link;
  });
  const rest = problems.length - shown.length;
  if (rest > 0) buttons.push(button(fill(words.changesMore, countText(rest)), unfold));
  return h(
    'div',
    { class: kind, 'data-side': `${kind} ${row.id}` },
    h('b', {}, problems.length === 0 ? '0' : `${sign}${problems.length}`),
    h('span', { class: 'secondary' }, words[kind]),
    ...(buttons.length > 0 ? buttons : [h('span', { class: 'secondary' }, words.noChange)]),
  );
}
