import { fill } from '../src/figures/numbers';
import type { ComparisonChoice, ComparisonModel } from '../src/schema/comparison';
import { words } from './comparisonHost';
import { button, h } from './dom';

/** Lines, and fields of a line, that are read at once. */
const most = 3;

/** Evaluations that were asked otherwise: how, and the way to see them all the same, or no longer. */
export function unlikeNotice(model: ComparisonModel, choose: (choice: ComparisonChoice) => void): HTMLElement[] {
  const { unlike, baselineName } = model;
  if (unlike.length === 0) return [];
  const shown = unlike.some((each) => each.shown);
  const lines = unlike.map(({ label, fields }) => {
    const rest = fields.length > most ? [fill(words.unlikeMore, fields.length - most)] : [];
    const text = [...fields.slice(0, most), ...rest].join('; ');
    return h('li', { title: fields.join('\n') }, h('strong', {}, label), `: ${text}`);
  });
  const list = (some: readonly HTMLElement[]) => h('ul', {}, ...some);
  // What is drawn anew stays as it was unfolded.
  const open = document.querySelector<HTMLDetailsElement>('.unlike details')?.open ?? false;
  const folded =
    lines.length > most
      ? [h('details', { open }, h('summary', {}, fill(words.unlikeMore, lines.length - most)), list(lines.slice(most)))]
      : [];
  return [
    h(
      'section',
      { class: 'notice unlike', testid: 'unlike-notice' },
      h(
        'div',
        { class: 'notice-text' },
        fill(shown ? words.unlikeShown : words.unlikeHead, baselineName),
        list(lines.slice(0, most)),
        ...folded,
      ),
      button(shown ? words.hideUnlike : words.showUnlike, () => choose({ unlike: !shown }), 'unlike'),
    ),
  ];
}

/** Files that are no whole evaluation: the others are compared. */
export const brokenNotices = (broken: readonly string[]): HTMLElement[] =>
  broken.map((sentence) =>
    h(
      'section',
      { class: 'notice broken', role: 'alert', testid: 'broken-notice' },
      h('div', { class: 'notice-text' }, fill(words.broken, sentence)),
    ),
  );
