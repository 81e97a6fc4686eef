import { basename } from 'node:path';
import { fill } from '../figures/numbers';
import type { ComparisonWords } from '../schema/comparisonWords';
import type { EvaluationSubject } from '../schema/evaluation';
import type { EndedEvaluation } from './runEvaluations';

/** An evaluation and what it is called among others. */
export interface Labelled {
  readonly evaluation: EndedEvaluation;
  readonly label: string;
  readonly note: string;
}

/** Names evaluations by their subjects, and orders them: before training, by step, then other models as they came. */
export const labelled = (evaluations: readonly EndedEvaluation[], words: ComparisonWords): Labelled[] =>
  evaluations
    .map((evaluation) => ({ evaluation, ...subjectName(evaluation.subject, words) }))
    .sort((a, b) => a.place - b.place);

/** Labels by id; those that several would share end with the id. */
export function distinctLabels(shown: readonly Labelled[]): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  for (const { label } of shown) uses.set(label, (uses.get(label) ?? 0) + 1);
  return new Map(
    shown.map(({ evaluation: { id }, label }) => [id, uses.get(label) === 1 ? label : `${label} · ${id}`]),
  );
}

interface Name {
  readonly label: string;
  readonly note: string;
  /** Where it stands among the others. */
  readonly place: number;
}

const coldStart = -1e9;
const lastPlace = 1e9;

/** What a subject is called. */
export function subjectName(subject: EvaluationSubject, words: ComparisonWords): Name {
  switch (subject.kind) {
    case 'checkpoint': {
      const { phase, step } = subject;
      if (step === 0) return { label: words.base, note: '', place: 2 * coldStart };
      const cold = phase === 'coldStart';
      const label = fill(cold ? words.coldStart : words.step, step);
      return { label, note: '', place: cold ? coldStart + step : step };
    }
    case 'endpoint':
      return { label: subject.model, note: subject.url, place: lastPlace };
    case 'imported': {
      // The reference names its files and the paths of its checkpoints so: aime25-retool-step200.jsonl.
      const names = [basename(subject.from).replace(/\.jsonl$/, ''), subject.model];
      const step = names.flatMap((name) => /(?:^|[^a-z])step[-_ ]?(\d+)$/i.exec(name)?.[1] ?? [])[0];
      if (step !== undefined) return { label: fill(words.step, Number(step)), note: names[0]!, place: Number(step) };
      const base = /(?:^|[-_ ])base$/i.test(names[0]!);
      if (base) return { label: words.base, note: subject.model, place: 2 * coldStart };
      return { label: names[0] || subject.model, note: subject.model, place: lastPlace };
    }
  }
}
