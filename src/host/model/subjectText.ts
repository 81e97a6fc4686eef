import { subjectName } from '../../figures/subjectName';
import type { EvaluationSubject } from '../../schema/evaluation';
import type { Checkpoint } from '../../schema/runState';
import type { Strings } from '../strings';

type Moment = Pick<Checkpoint, 'phase' | 'step'>;

/** Step 0 of the cold start is the model before any training. */
export const isBase = ({ phase, step }: Moment): boolean => phase === 'coldStart' && step === 0;

/** `Base`, `Cold start 350`, `Step 40`. */
export function subjectText(moment: Moment, { tree, evaluation }: Strings): string {
  if (isBase(moment)) return evaluation.base;
  return moment.phase === 'coldStart' ? tree.coldStep(moment.step) : tree.step(moment.step);
}

export const modelText = (subject: EvaluationSubject, strings: Strings): string =>
  subject.kind === 'checkpoint' ? subjectText(subject, strings) : subjectName(subject, strings.comparison.page).label;
