import { csvText } from '../../lib/csv';
import type { RunLaboratory } from '../../run/rewardLaboratory';
import type { LaboratoryRow, LaboratoryRule, ToLaboratory } from '../../schema/laboratory';
import type { Strings } from '../strings';
import { count, percent, reward } from './format';

export type Placed = RunLaboratory['rows'][number];

/** Disagreements first, otherwise in the order of the file. */
export const placed = ({ rows }: Pick<RunLaboratory, 'rows'>): Placed[] => [
  ...rows.filter(({ disputed }) => disputed),
  ...rows.filter(({ disputed }) => !disputed),
];

/** Rows that a page is sent; the rest is in the export. */
const mostRows = 5000;

/** What the page shows. @param rows as `placed` orders them. */
export function laboratoryPage(
  title: string,
  { totals, own, leftOut }: RunLaboratory,
  rows: readonly Placed[],
  strings: Strings,
): Extract<ToLaboratory, { type: 'graded' }> {
  const words = strings.laboratory;
  const names = Object.keys(totals) as LaboratoryRule['name'][];
  return {
    type: 'graded',
    title,
    caption: [
      words.caption(count(rows.length), count(rows.filter(({ disputed }) => disputed).length)),
      leftOut > 0 ? words.leftOut(count(leftOut)) : undefined,
      rows.length > mostRows ? words.shownFirst(count(mostRows)) : undefined,
    ]
      .filter((sentence) => sentence !== undefined)
      .join(' '),
    rules: names.map((name) => {
      const { correct, unknown, reward: mean } = totals[name]!;
      return {
        name,
        about: words.rules[name],
        own: name === own,
        total: words.total(count(correct), count(rows.length), count(unknown), reward(mean)),
        share: percent(correct / Math.max(rows.length, 1)),
      };
    }),
    rows: rows.slice(0, mostRows).map(
      ({ trajectory, grades, disputed }, index): LaboratoryRow => ({
        index,
        label: `${shortened(trajectory.problemId)} · ${strings.tree.branch(trajectory.branch)}`,
        gold: shortened(trajectory.gold),
        predicted: shortenedOrNull(grades['last-box-math']?.predicted ?? null),
        disputed,
        signs: signsOf(grades).map((flag) => strings.trajectory.flag[flag]),
        cells: names.map((name) => {
          const grade = grades[name]!;
          return { verdict: grade.verdict, reward: reward(grade.reward), reason: grade.reason };
        }),
      }),
    ),
  };
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text);
const shortenedOrNull = (text: string | null) => (text === null ? null : shortened(text));

const signsOf = (grades: Placed['grades']) => [...new Set(Object.values(grades).flatMap(({ flags }) => flags ?? []))];

/** One JSON object a line: the trajectory's place, and each rule's whole grade. */
export function toJsonl(rows: readonly Placed[]): string {
  return rows
    .map(({ trajectory: { step, problemId, branch, gold, stop }, grades, disputed }) =>
      JSON.stringify({ step, problemId, branch, gold, stop, disputed, grades }),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** A row a trajectory; verdict, reward and prediction by rule. */
export function toCsv(rows: readonly Placed[]): string {
  const names = Object.keys(rows[0]?.grades ?? {});
  const head = ['step', 'problem', 'branch', 'gold', 'stop', 'disputed', 'signs'];
  const perRule = names.flatMap((name) => [`${name} verdict`, `${name} reward`, `${name} predicted`]);
  const lines = rows.map(({ trajectory, grades, disputed }) => [
    trajectory.step,
    trajectory.problemId,
    trajectory.branch,
    trajectory.gold,
    trajectory.stop,
    disputed,
    signsOf(grades).join(' '),
    ...names.flatMap((name) => [grades[name]!.verdict, grades[name]!.reward, grades[name]!.predicted ?? '']),
  ]);
  return csvText([[...head, ...perRule], ...lines]);
}
