import { basename } from 'node:path';
import { numberText } from '../lib/texts';
import {
  type DataReport,
  type DemonstrationsReport,
  type Finding,
  type FindingExample,
  type FindingKind,
  findingKinds,
  refusedKinds,
  type SetReport,
} from '../schema/dataReport';
import { findingWords, reportWords } from '../schema/dataWords';
import type { Materials } from './materials';

/** Puts a sentence of `dataWords` into the reader's language and fills in its numbers and names. */
export type Say = (sentence: string, ...values: readonly (string | number)[]) => string;

/** The sentence as it stands. */
export const sayEnglish: Say = (sentence, ...values) =>
  sentence.replaceAll(/\{(\d)\}/g, (_, i) => {
    const value = values[Number(i)];
    return typeof value === 'number' ? numberText(value, 'en') : String(value);
  });

type Level = 'error' | 'warning' | 'info';

const notes: readonly FindingKind[] = ['textAnswer', 'repeated'];

/** An error keeps a run from beginning, a warning harms it. */
const levelOf = (kind: FindingKind): Level =>
  refusedKinds.includes(kind) ? 'error' : notes.includes(kind) ? 'info' : 'warning';

/** What was found in a set, the gravest first. */
const findingsOf = ({ findings }: SetReport): { readonly kind: FindingKind; readonly finding: Finding }[] =>
  findingKinds.flatMap((kind) => (findings[kind] ? [{ kind, finding: findings[kind] }] : []));

const nameOf = ({ field, path }: SetReport): string => field ?? basename(path);

/** For example `data.train: questions with different answers: 1 (lines 3 and 9). A run leaves them out.` */
function findingSentence(set: SetReport, kind: FindingKind, finding: Finding, say: Say): string {
  const { name, means } = findingWords[kind];
  const [first] = finding.examples;
  const place = first ? ` (${placeOf(set, kind, first, say)})` : '';
  return `${nameOf(set)}: ${say(name, finding.count)}${place}. ${say(means)}`;
}

/** What keeps a run from beginning or harms it, a sentence each. */
export const complaintsOf = (set: SetReport, say: Say): { readonly level: Level; readonly message: string }[] => [
  ...findingsOf(set)
    .filter(({ kind }) => levelOf(kind) !== 'info')
    .map(({ kind, finding }) => ({ level: levelOf(kind), message: findingSentence(set, kind, finding, say) })),
  ...(set.usable === 0 ? [{ level: 'error' as const, message: `${nameOf(set)}: ${say(reportWords.noneUsable)}` }] : []),
];

/** The notices that a run begins with. */
export function dataNotices({
  experiment,
  reports,
  demonstrations,
  leftOut,
}: Materials): { level: 'info' | 'warning'; message: string }[] {
  const told = reports.flatMap((set) =>
    findingsOf(set)
      .filter(({ kind }) => kind !== 'textAnswer' && (kind !== 'repeated' || experiment.data.deduplicate))
      .map(({ kind, finding }) => ({
        level: levelOf(kind) === 'info' ? ('info' as const) : ('warning' as const),
        message: findingSentence(set, kind, finding, sayEnglish),
      })),
  );
  if (leftOut.demonstrations === 0) return told;
  const [few, all, context] = [
    leftOut.demonstrations,
    leftOut.demonstrations + demonstrations.length,
    experiment.service.context,
  ].map((count) => count.toLocaleString('en'));
  const message = `coldStart.demonstrations: ${few} of ${all} do not fit the context of ${context} tokens and are left out: raise service.context.`;
  return [...told, { level: 'warning', message }];
}

/** The whole report as text, a line each. @param title the file that the doctor was given. */
export function reportLines({ sets, demonstrations }: DataReport, title: string, say: Say): string[] {
  return [
    say(reportWords.title, title),
    ...sets.flatMap((set) => ['', ...setLines(set, say)]),
    ...(demonstrations ? ['', ...demonstrationLines(demonstrations, say)] : []),
  ];
}

function demonstrationLines({ path, count, fitting, context }: DemonstrationsReport, say: Say): string[] {
  return [
    `coldStart.demonstrations: ${path}`,
    `  ${say(reportWords.demonstrations, count, fitting, context)}`,
    fitting < count
      ? `  ${say(reportWords.warning)}: ${say(reportWords.tooLongForContext, count - fitting)}`
      : `  ${say(reportWords.nothing)}`,
  ];
}

function setLines(set: SetReport, say: Say): string[] {
  const all = Object.values(set.scripts).reduce((sum, count) => sum + count, 0);
  const shares = Object.entries(set.scripts)
    .sort(([, a], [, b]) => b - a)
    .map(([script, count]) => say(reportWords.share, script, ((100 * count) / all).toFixed(1)));
  const found = findingsOf(set);
  return [
    set.field === undefined ? set.path : `${set.field}: ${set.path}`,
    `  ${say(reportWords.records, set.rows, set.shape, set.distinct, set.usable)}`,
    ...(shares.length > 0 ? [`  ${say(reportWords.scripts, shares.join(', '))}`] : []),
    ...found.flatMap(({ kind, finding }) => findingLines(set, kind, finding, say)),
    ...(set.usable === 0 ? [`  ${say(reportWords.error)}: ${say(reportWords.noneUsable)}`] : []),
    ...(found.length === 0 && set.usable > 0 ? [`  ${say(reportWords.nothing)}`] : []),
  ];
}

function findingLines(set: SetReport, kind: FindingKind, { count, examples }: Finding, say: Say): string[] {
  const { name, means } = findingWords[kind];
  const more = count - examples.length;
  return [
    `  ${say(reportWords[levelOf(kind)])}: ${say(name, count)}. ${say(means)}`,
    ...examples.map((example) => `    ${placeOf(set, kind, example, say)}: ${example.text}`),
    ...(more > 0 ? [`    ${say(reportWords.more, more)}`] : []),
  ];
}

function placeOf(
  { unit, trainingUnit = unit }: SetReport,
  kind: FindingKind,
  { rows, answers }: FindingExample,
  say: Say,
): string {
  const [first, second] = rows as readonly [number, number | undefined];
  if (second === undefined) return say(reportWords[unit], first);
  if (kind === 'overlap')
    return say(reportWords.training, say(reportWords[unit], first), say(reportWords[trainingUnit], second));
  const place = say(reportWords[`${unit}s`], first, second);
  if (!answers) return place;
  const [one, other] = answers.map((answer) => answer ?? say(reportWords.longAnswer)) as [string, string];
  return `${place}, ${say(reportWords.answers, one, other)}`;
}
