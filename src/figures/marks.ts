import type { ComparedRow, ComparisonModel } from '../schema/comparison';
import { fitted } from './scene';

/** Of a row that was asked otherwise than the baseline; a footnote says in what. */
const mark = '*';

export const markedLabel = ({ label, otherwise }: Pick<ComparedRow, 'label' | 'otherwise'>): string =>
  otherwise.length > 0 ? `${label}${mark}` : label;

/** Pixels of a name within a sentence. */
const longest = 240;

/** What the others are compared with, as a title names it. */
export const baselineLabel = ({ rows, baseline }: ComparisonModel): string =>
  fitted(rows.find(({ id }) => id === baseline)?.label ?? baseline, 11, longest);

/** `* Step 60: temperature 0.6 instead of 1.`, one for each row that carries the mark. */
export const footnotes = ({ rows }: ComparisonModel): string[] =>
  rows.flatMap(({ label, otherwise }) =>
    otherwise.length > 0 ? [`${mark} ${fitted(label, 11, longest)}: ${otherwise.join('; ')}.`] : [],
  );
