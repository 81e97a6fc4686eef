import { fill } from '../figures/numbers';
import type { ComparisonWords } from '../schema/comparisonWords';
import type { EndedEvaluation } from './runEvaluations';

/** The base model: as the file has it, else as the subject is called. */
export const modelOf = ({ report, subject }: EndedEvaluation): string =>
  report.summary?.base_model ?? (subject.kind === 'checkpoint' ? '' : subject.model);

/** `run 20260101-… · experiment arithmetic · model local`, once each. */
export const originsOf = (shown: readonly EndedEvaluation[], words: ComparisonWords): string[] => [
  ...new Set(
    shown.map((evaluation) => {
      const { origin, subject } = evaluation;
      const model = modelOf(evaluation);
      return [
        ...(origin ? [fill(words.run, origin.run), fill(words.experiment, origin.experiment)] : []),
        ...(subject.kind === 'imported' ? [words.importedFiles] : []),
        ...(model === '' ? [] : [fill(words.model, model)]),
      ].join(' · ');
    }),
  ),
];
