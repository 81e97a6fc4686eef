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
    const { dataset, datasets, facts, groups, baseline } = model;
    const { choose, hidden } = this.events;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.testid;
    this.element.replaceChildren(
      h('h1', { title: dataset }, dataset),
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
                [{ title: '', members: datasets.map((name) => ({ id: name, label: name })) }],
                dataset,
                (value) => choose({ dataset: value }),
              ),
            ]
          : []),
        picker('baseline', words.baseline, groups, baseline, (value) => choose({ baseline: value })),
        ...(canEvaluate ? [button(words.evaluate, () => host.postMessage({ type: 'evaluate' }), 'evaluate')] : []),
        button(words.copyMarkdown, () => host.postMessage({ type: 'copy', hidden: [...hidden()] }), 'copy'),
        button(words.exportAs, () => host.postMessage({ type: 'export', hidden: [...hidden()] }), 'export'),
      ),
    );
    if (focused) this.element.querySelector<HTMLElement>(`[data-testid="${focused}"]`)?.focus();
  }
}

/** Groups of which there are several are headed by what their members have in common. */
function picker(
  testid: string,
  label: string,
  groups: ComparisonModel['groups'],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const options = groups.map(({ title, members }) => {
    const group = members.map(({ id, label: text }) => h('option', { value: id, selected: id === chosen }, text));
    return groups.length > 1 ? [h('optgroup', { label: title }, ...group)] : group;
  });
  const select = h('select', { testid }, ...options.flat());
  on(select, 'change', () => choose(select.value));
  return h('label', { class: 'picker' }, h('span', { class: 'secondary' }, label), select);
}
