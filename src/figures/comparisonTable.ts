import { csvText } from '../lib/csv';
import type { ComparedRow, ComparisonModel, EvaluationCost } from '../schema/comparison';
import type { ComparisonWords } from '../schema/comparisonWords';
import { samplesText } from './comparisonFigure';
import { baselineLabel, markedLabel } from './marks';
import { compactText, countText, fill, meanText, noValue, percentText, pointsText, priceText } from './numbers';

/** A column of the table. */
export interface Column {
  readonly key:
    | 'average'
    | 'interval'
    | 'difference'
    | 'differenceInterval'
    | 'pass'
    | 'format'
    | 'calls'
    | 'turns'
    | 'correct'
    | 'cost';
  readonly title: string;
  readonly text: (row: ComparedRow) => string;
  /** More than the cell has room for. */
  readonly more?: (row: ComparedRow) => string | undefined;
}

/** Of a share: one below is told with a decimal more. */
const narrowInterval = 0.05;

/** The columns behind the label of an evaluation, in their order. */
export function columnsOf(model: ComparisonModel, words: ComparisonWords): readonly Column[] {
  const n = samplesText(model);
  const inTokens = model.rows.some(({ cost }) => cost) && !model.rows.some(({ cost }) => cost?.money);
  const span = (low: string, high: string) => fill(words.to, low, high);
  return [
    { key: 'average', title: fill(words.average, n), text: ({ average }) => percentText(average) },
    {
      key: 'interval',
      title: words.interval,
      text: ({ interval }) => {
        if (!interval) return noValue;
        const digits = interval.high - interval.low < narrowInterval ? 1 : 0;
        return span((interval.low * 100).toFixed(digits), (interval.high * 100).toFixed(digits));
      },
    },
    {
      key: 'difference',
      title: fill(words.difference, baselineLabel(model)),
      text: ({ paired }) => (paired ? pointsText(paired.difference) : noValue),
    },
    {
      key: 'differenceInterval',
      title: words.interval,
      // One without a width is none.
      text: ({ paired }) =>
        paired && paired.low < paired.high ? span(pointsText(paired.low), pointsText(paired.high)) : '',
    },
    { key: 'pass', title: fill(words.pass, n), text: ({ pass }) => percentText(pass) },
    { key: 'format', title: words.format, text: ({ format }) => percentText(format) },
    { key: 'calls', title: words.codeCalls, text: ({ codeCalls }) => meanText(codeCalls) },
    { key: 'turns', title: words.turns, text: ({ turns }) => meanText(turns) },
    {
      key: 'correct',
      title: words.correct,
      text: ({ correct, generations }) => `${countText(correct)} / ${countText(generations)}`,
    },
    {
      key: 'cost',
      title: inTokens ? words.costTokens : words.cost,
      text: ({ cost }) => costText(cost),
      more: ({ cost }) => cost && fill(words.tokensExactly, countText(cost.prompt), countText(cost.sampled)),
    },
  ];
}

/** Money where prices are known, else the tokens of prompts and those that were sampled. */
const costText = (cost: EvaluationCost | undefined): string => {
  if (!cost) return noValue;
  return cost.money ? priceText(cost.money) : `${compactText(cost.prompt)} + ${compactText(cost.sampled)}`;
};

/** The tables in Markdown: what it came to, with how it was asked and what is too little for a claim; then each problem. */
export function toMarkdown(model: ComparisonModel, words: ComparisonWords): string {
  const { rows, problems } = model;
  const columns = columnsOf(model, words);
  const otherwise = rows.some((row) => row.otherwise.length > 0);
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const cautions = rows.flatMap(({ label, cautions: all }) => all.map((caution) => cellText(`- ${label}: ${caution}`)));
  return [
    `**${cellText([model.dataset, ...model.facts].join(' · '))}**`,
    '',
    ...model.origins.flatMap((origin) => [cellText(origin), '']),
    line([
      words.checkpoint,
      ...columns.map(({ key, title }) => (key === 'differenceInterval' ? words.differenceInterval : title)),
      ...(otherwise ? [words.askedColumn] : []),
    ]),
    line(['---', ...columns.map(() => '---:'), ...(otherwise ? ['---'] : [])]),
    ...rows.map((row) =>
      line([
        markedLabel(row),
        ...columns.map(({ text }) => text(row)),
        ...(otherwise ? [row.otherwise.join('; ')] : []),
      ]),
    ),
    '',
    ...(cautions.length > 0 ? [...cautions, ''] : []),
    model.caption,
    '',
    `**${words.solved}**`,
    '',
    line([words.problem, ...rows.map(markedLabel)]),
    line(['---', ...rows.map(() => '---:')]),
    ...problems.map(({ id }, at) =>
      line([
        id,
        ...rows.map(({ counts }) => {
          const count = counts[at];
          return count ? `${count.correct} / ${count.samples}` : noValue;
        }),
      ]),
    ),
    '',
  ].join('\n');
}

/** On one line, neither the end of a cell nor a tag, a link or a picture. */
const cellText = (text: string): string =>
  text
    .replaceAll(/\s*[\r\n]\s*/g, ' ')
    .replaceAll(/[\\|[]/g, '\\$&')
    .replaceAll('<', '&lt;');

/** Every number unrounded, a line for each evaluation and problem: for spreadsheets and scripts, so in English. */
export function toCsv({ dataset, baseline, rows, problems }: ComparisonModel): string {
  const asked = Object.keys(rows[0]?.asked ?? {});
  const head = [
    ...['dataset', 'run', 'experiment', 'base_model', 'id', 'label', 'note', 'baseline', 'samples'],
    ...asked.map((field) => `asked_${field}`),
    ...['average', 'interval_low', 'interval_high', 'difference', 'difference_low', 'difference_high', 'pass'],
    ...['format', 'code_calls', 'turns', 'correct', 'generations', 'infrastructure'],
    ...['cost', 'currency', 'prompt_tokens', 'sampled_tokens', 'problem', 'problem_correct', 'problem_samples'],
  ];
  const lines = rows.flatMap((row) => {
    const { interval, paired, cost } = row;
    const about = [
      ...[dataset, row.origin?.run, row.origin?.experiment, row.model, row.id, row.label, row.note, baseline],
      ...[row.samples, ...asked.map((field) => row.asked[field]), row.average, interval?.low, interval?.high],
      ...[paired?.difference, paired?.low, paired?.high, row.pass, row.format, row.codeCalls, row.turns],
      ...[row.correct, row.generations, row.infrastructure, cost?.money?.amount, cost?.money?.currency],
      ...[cost?.prompt, cost?.sampled],
    ];
    return problems.map(({ id }, at) => [...about, id, row.counts[at]?.correct, row.counts[at]?.samples]);
  });
  return csvText([head, ...lines.map((line) => line.map((value) => value ?? ''))]);
}
