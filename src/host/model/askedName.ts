import type { EvaluationRequest } from '../../schema/evaluation';
import type { AskedEvaluation, RunState } from '../../schema/runState';
import type { Strings } from '../strings';
import { distinction } from './askedDistinction';
import { modelText } from './subjectText';

/** `AIME25 · Step 40`. */
export const nameOf = ({ dataset, subject }: Pick<AskedEvaluation, 'dataset' | 'subject'>, strings: Strings): string =>
  `${dataset} · ${modelText(subject, strings)}`;

export const nameOfRequest = ({ protocol, subject }: EvaluationRequest, strings: Strings): string =>
  nameOf({ dataset: protocol.dataset.name, subject }, strings);

/** With what tells it from others of the same model. */
export function nameIn(run: RunState, asked: AskedEvaluation, strings: Strings): string {
  const unlike = distinction(asked, run.asked, strings);
  return [nameOf(asked, strings), unlike].filter(Boolean).join(' · ');
}
