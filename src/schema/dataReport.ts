/** What can be the matter with a data set, the gravest first. */
export const findingKinds = [
  'unreadable',
  'emptyAnswer',
  'sameId',
  'contradictory',
  'overlap',
  'tooLong',
  'ungraded',
  'textAnswer',
  'repeated',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/** One place where it is so. */
export interface FindingExample {
  /** Lines of a JSONL file or rows of a Parquet file, from 1; of an overlap: in the evaluation set, in the training set. */
  readonly rows: readonly number[];
  /** The beginning of the question, or what is wrong with the record. */
  readonly text: string;
  /** Golds that differ, where that is the matter; null for one that is too long to be shown. */
  readonly answers?: readonly (string | null)[];
}

export interface Finding {
  /** Records, or questions where a finding is about questions: contradictory, overlap, tooLong, ungraded, textAnswer. */
  readonly count: number;
  /** The first few. */
  readonly examples: readonly FindingExample[];
}

/** What the data set doctor says of one file. */
export interface SetReport {
  /** The field of the experiment that names it; undefined for a file by itself. */
  readonly field: string | undefined;
  readonly path: string;
  readonly unit: 'line' | 'row';
  /** That of the training set, whose rows an overlap names. */
  readonly trainingUnit?: 'line' | 'row';
  /** The shape of its records, for people. */
  readonly shape: string;
  readonly rows: number;
  /** Questions, each counted once. */
  readonly distinct: number;
  /** Those of them that a run can use: neither contradictory nor too long. */
  readonly usable: number;
  readonly findings: Readonly<Partial<Record<FindingKind, Finding>>>;
  /** Distinct questions by the script that tells their language. */
  readonly scripts: Readonly<Record<string, number>>;
}

/** What it says of the demonstrations of a cold start. */
export interface DemonstrationsReport {
  readonly path: string;
  readonly count: number;
  /** Those that fit the context; a run leaves out the others. */
  readonly fitting: number;
  /** `service.context`, tokens. */
  readonly context: number;
}

/** What the data set doctor says of the files of an experiment, or of a file by itself. */
export interface DataReport {
  readonly sets: readonly SetReport[];
  /** Left out where there are none, or where the file cannot be read. */
  readonly demonstrations?: DemonstrationsReport;
}

/** With one of these a run does not begin. */
export const refusedKinds: readonly FindingKind[] = ['unreadable', 'emptyAnswer', 'sameId'];
