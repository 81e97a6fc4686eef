import type { FindingKind } from './dataReport';

/** How the data set doctor names what it finds, and what that means. Sentences have their numbers in `{0}`. */
export const findingWords: Readonly<Record<FindingKind, { readonly name: string; readonly means: string }>> = {
  unreadable: { name: 'records that cannot be read: {0}', means: 'A run refuses the file.' },
  emptyAnswer: { name: 'records without an answer: {0}', means: 'A run refuses the file.' },
  sameId: { name: 'records with the id of another question: {0}', means: 'A run refuses the file.' },
  contradictory: { name: 'questions with different answers: {0}', means: 'A run leaves them out.' },
  overlap: {
    name: 'questions that are trained on too: {0}',
    means: 'The evaluation partly measures what was trained on.',
  },
  tooLong: {
    name: 'questions too long for the context and budgets: {0}',
    means: 'A run leaves them out.',
  },
  ungraded: {
    name: 'answers that earn nothing when they are given: {0}',
    means: 'The reward rule cannot read them.',
  },
  textAnswer: {
    name: 'answers that are no number: {0}',
    means: 'A reward rule for numbers compares them letter by letter.',
  },
  repeated: {
    name: 'records that repeat a question: {0}',
    means: 'A run asks each question once, unless data.deduplicate is false.',
  },
};

/** The other words of its report. */
export const reportWords = {
  title: 'Data sets of {0}',
  records: '{0} records in the shape {1}; {2} distinct questions, of which {3} can be used.',
  demonstrations: '{0} demonstrations, of which {1} fit the context of {2} tokens.',
  tooLongForContext: 'demonstrations that do not fit the context: {0}. A run leaves them out: raise service.context.',
  scripts: 'Languages, by their script: {0}.',
  share: '{0} {1} %',
  nothing: 'Nothing to complain of.',
  noneUsable: 'None of its questions can be used.',
  error: 'Error',
  warning: 'Warning',
  info: 'Note',
  line: 'line {0}',
  row: 'row {0}',
  lines: 'lines {0} and {1}',
  rows: 'rows {0} and {1}',
  training: '{0}; in the training set {1}',
  answers: 'answers {0} and {1}',
  longAnswer: 'a long one',
  more: 'and {0} more',
} as const;

/** Every sentence of both tables. */
export const dataSentences: readonly string[] = [
  ...Object.values(findingWords).flatMap(({ name, means }) => [name, means]),
  ...Object.values(reportWords),
];
