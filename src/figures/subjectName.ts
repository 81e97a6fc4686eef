import type { ComparisonWords } from '../schema/comparisonWords';
import type { EvaluationSubject } from '../schema/evaluation';
import { fill } from './numbers';

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
      const names = [subject.from.replace(/^.*[\\/]/, '').replace(/\.jsonl$/, ''), subject.model];
      const step = names.flatMap((name) => /(?:^|[^a-z])step[-_ ]?(\d+)$/i.exec(name)?.[1] ?? [])[0];
      if (step !== undefined) return { label: fill(words.step, Number(step)), note: names[0]!, place: Number(step) };
      const base = /(?:^|[-_ ])base$/i.test(names[0]!);
      if (base) return { label: words.base, note: subject.model, place: 2 * coldStart };
      return { label: names[0] || subject.model, note: subject.model, place: lastPlace };
    }
  }
}
