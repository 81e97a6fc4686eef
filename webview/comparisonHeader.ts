import { baselineLabel } from '../src/figures/comparisonFigure';
import { fill } from '../src/figures/numbers';
import type { ComparisonChoice, ComparisonModel } from '../src/schema/comparison';
import { host, words } from './comparisonHost';
import { button, h, on } from './dom';

interface Events {
  choose(choice: ComparisonChoice): void;
  hidden(): readonly string[];
}

/** What was asked of whom, by which baseline, and what can be done with it. */
export class ComparisonHeader {
  readonly element = h('header', { class: 'comparison-header' });
  private readonly events: Events;

  constructor(events: Events) {
    this.events = events;
  }

  update(model: ComparisonModel, canEvaluate: boolean): void {
    const { dataset, datasets, facts, rows, baseline } = model;
    const { choose, hidden } = this.events;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.testid;
    this.element.replaceChildren(
      h('h1', {}, dataset),
      h(
        'span',
        { class: 'secondary' },
        facts[0] ?? '',
        ...facts.slice(1).map((fact) => h('span', { class: 'wide' }, ` · ${fact}`)),
      ),
      h(
        'div',
        { class: 'comparison-actions' },
        ...(datasets.length > 1
          ? [
              picker(
                'dataset',
                words.dataset,
                datasets.map((name) => [name, name] as const),
                dataset,
                (value) => choose({ dataset: value }),
              ),
            ]
          : []),
        picker(
          'baseline',
          words.baseline,
          rows.map(({ id, label }) => [id, label] as const),
          baseline,
          (value) => choose({ baseline: value }),
        ),
        ...(canEvaluate ? [button(words.evaluate, () => host.postMessage({ type: 'evaluate' }), 'evaluate')] : []),
        button(words.copyMarkdown, () => host.postMessage({ type: 'copy', hidden: [...hidden()] }), 'copy'),
        button(words.exportAs, () => host.postMessage({ type: 'export', hidden: [...hidden()] }), 'export'),
      ),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[data-testid="${focused}"]`)?.focus();
  }
}

function picker(
  testid: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const select = h(
    'select',
    { testid },
    ...options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
  on(select, 'change', () => choose(select.value));
  return h('label', { class: 'picker' }, h('span', { class: 'secondary' }, label), select);
}

/** Evaluations that were asked otherwise: in which fields, and the way to see them all the same, or no longer. */
export function unlikeNotice(model: ComparisonModel, choose: (choice: ComparisonChoice) => void): HTMLElement[] {
  const { unlike } = model;
  if (unlike.length === 0) return [];
  const shown = unlike.some((each) => each.shown);
  const sentence = fill(shown ? words.unlikeShown : words.unlikeHead, baselineLabel(model));
  return [
    h(
      'section',
      { class: 'notice unlike', testid: 'unlike-notice' },
      h(
        'div',
        { class: 'notice-text' },
        sentence,
        h('ul', {}, ...unlike.map(({ label, fields }) => h('li', {}, h('strong', {}, label), ` ${fields.join('; ')}`))),
      ),
      button(shown ? words.hideUnlike : words.showUnlike, () => choose({ unlike: !shown }), 'unlike'),
    ),
  ];
}
