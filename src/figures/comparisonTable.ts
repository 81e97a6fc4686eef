import { csvText } from '../lib/csv';
import type { ComparedRow, ComparisonModel, EvaluationCost } from '../schema/comparison';
import type { ComparisonWords } from '../schema/comparisonWords';
import { baselineLabel, samplesText } from './comparisonFigure';
import { compactText, countText, fill, meanText, moneyText, noValue, percentText, pointsText } from './numbers';

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
      text: ({ interval }) =>
        interval ? span((interval.low * 100).toFixed(0), (interval.high * 100).toFixed(0)) : noValue,
    },
    {
      key: 'difference',
      title: fill(words.difference, baselineLabel(model)),
      text: ({ paired }) => (paired ? pointsText(paired.difference) : noValue),
    },
    {
      key: 'differenceInterval',
      title: words.interval,
      text: ({ paired }) => (paired ? span(pointsText(paired.low), pointsText(paired.high)) : ''),
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
  return cost.money ? moneyText(cost.money) : `${compactText(cost.prompt)} + ${compactText(cost.sampled)}`;
};

/** The table in Markdown, with how it was asked, what is too little for a claim, and the caption. */
export function toMarkdown(model: ComparisonModel, words: ComparisonWords): string {
  const columns = columnsOf(model, words);
  const line = (cells: readonly string[]) => `| ${cells.map(cellText).join(' | ')} |`;
  const cautions = model.rows.flatMap(({ label, cautions: all }) => all.map((caution) => `- ${label}: ${caution}`));
  return [
    `**${[model.dataset, ...model.facts].join(' · ')}**`,
    '',
    line([
      words.checkpoint,
      ...columns.map(({ key, title }) => (key === 'differenceInterval' ? words.differenceInterval : title)),
    ]),
    line(['---', ...columns.map(() => '---:')]),
    ...model.rows.map((row) => line([row.label, ...columns.map(({ text }) => text(row))])),
    '',
    ...(cautions.length > 0 ? [...cautions, ''] : []),
    model.caption,
    '',
  ].join('\n');
}

const cellText = (text: string): string => text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|');

/** Every number unrounded, then the correct samples of each problem: for spreadsheets and scripts, so in English. */
export function toCsv({ dataset, baseline, rows, problems }: ComparisonModel): string {
  const head = [
    ...['dataset', 'id', 'label', 'note', 'samples', 'average', 'interval_low', 'interval_high', 'baseline'],
    ...['difference', 'difference_low', 'difference_high', 'pass', 'format', 'code_calls', 'turns'],
    ...['correct', 'generations', 'infrastructure', 'cost', 'currency', 'prompt_tokens', 'sampled_tokens'],
    ...problems.map(({ id }) => `correct_of_${id}`),
  ];
  const lines = rows.map((row) => {
    const { interval, paired, cost } = row;
    return [
      ...[dataset, row.id, row.label, row.note, row.samples, row.average, interval?.low, interval?.high, baseline],
      ...[paired?.difference, paired?.low, paired?.high, row.pass, row.format, row.codeCalls, row.turns],
      ...[row.correct, row.generations, row.infrastructure, cost?.money?.amount, cost?.money?.currency],
      ...[cost?.prompt, cost?.sampled, ...row.counts.map((count) => count?.correct)],
    ].map((value) => value ?? '');
  });
  return csvText([head, ...lines]);
}
