import type { AskedEvaluation, AskedStatus, Checkpoint, RunState } from '../../schema/runState';
import type { Strings } from '../strings';
import { distinction, settingsText } from './askedDistinction';
import { count, duration, percent, timeText } from './format';
import type { TreeRow } from './row';
import { modelText } from './subjectText';

const icons: Readonly<Record<AskedStatus, { readonly icon: string; readonly color: string }>> = {
  queued: { icon: 'clock', color: 'retool.secondaryText' },
  waiting: { icon: 'clock', color: 'charts.yellow' },
  running: { icon: 'loading~spin', color: 'retool.correct' },
  stopping: { icon: 'loading~spin', color: 'retool.secondaryText' },
  elsewhere: { icon: 'loading~spin', color: 'retool.correct' },
  stopped: { icon: 'debug-pause', color: 'charts.yellow' },
  done: { icon: 'pass-filled', color: 'retool.correct' },
};

/** The row of an evaluation that was asked for. @param all of its run: what tells it from those is said. */
export function askedRow(asked: AskedEvaluation, all: readonly AskedEvaluation[], strings: Strings): TreeRow {
  const { dataset, status, problems, samples, id } = asked;
  const words = strings.evaluation;
  const facts = progressWords(asked, strings);
  const name = [dataset, modelText(asked.subject, strings), distinction(asked, all, strings)]
    .filter(Boolean)
    .join(' · ');
  const imported = asked.subject.kind === 'imported' ? words.importedFrom(asked.subject.from, asked.subject.model) : '';
  return {
    label: name,
    description: facts,
    spoken: `${name}, ${status === 'done' ? resultWords(asked, strings) : facts}${imported && `, ${imported}`}`,
    tooltip: [
      `${name}: ${facts}`,
      words.size(count(problems), count(samples)),
      settingsText(asked, strings),
      ...(imported ? [imported] : []),
      ...(status === 'stopped' ? [words.stoppedWhy] : []),
      id,
    ].join('\n'),
    ...icons[status],
    ...(status === 'done' && { expanded: false }),
    context: imported ? 'evaluation.imported' : `evaluation.asked.${status}`,
  };
}

/** `181 of 360 · 4 m 10 s left`, `waits for the training`, `47.5 % correct (34 % to 61 %)`. */
export function progressWords(
  asked: Pick<AskedEvaluation, 'status' | 'done' | 'all' | 'place' | 'secondsLeft' | 'silentSince' | 'result'>,
  strings: Strings,
): string {
  const words = strings.evaluation;
  const far = words.doneOf(count(asked.done), count(asked.all));
  switch (asked.status) {
    case 'done':
      return resultWords(asked, strings);
    case 'stopped':
      return words.stoppedAt(far);
    case 'queued':
      return (asked.place ?? 1) === 1 ? words.queued : words.queuedAs(asked.place!);
    case 'waiting':
      return words.waiting;
    case 'stopping':
      return words.stopping;
    default: {
      if (asked.silentSince !== undefined) return `${far} · ${strings.progress.silent(timeText(asked.silentSince))}`;
      const left = asked.secondsLeft;
      return left === undefined ? far : `${far} · ${strings.progress.left(duration(left, strings.duration))}`;
    }
  }
}

/** `47.5 % correct, 95 % interval 34.2 % to 61.1 %`. */
export function resultWords({ result }: Pick<AskedEvaluation, 'result'>, { tree, evaluation }: Strings): string {
  if (!result) return evaluation.noResult;
  const { average, interval } = result;
  const share = tree.correctShare(percent(average, 1));
  if (interval === undefined) return share;
  return interval
    ? `${share}, ${tree.interval(percent(interval.low, 1), percent(interval.high, 1))}`
    : `${share}, ${evaluation.noInterval}`;
}

/** Those of a checkpoint of the run, oldest first. */
export const evaluationsOf = (
  { phase, step }: Pick<Checkpoint, 'phase' | 'step'>,
  { asked }: RunState,
): AskedEvaluation[] =>
  asked.filter(({ subject }) => subject.kind === 'checkpoint' && subject.phase === phase && subject.step === step);
