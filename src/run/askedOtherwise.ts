import { countText, fill } from '../figures/numbers';
import type { ComparisonWords } from '../schema/comparisonWords';
import { leavesOf, type ProtocolDifference, protocolDifferences } from './evaluationProtocol';
import type { EndedEvaluation } from './runEvaluations';

/** How an evaluation was asked otherwise than the baseline, a few words for each field: `temperature 0.6 instead of 1`. */
export function askedOtherwise(baseline: EndedEvaluation, other: EndedEvaluation, words: ComparisonWords): string[] {
  const differences = protocolDifferences(baseline.protocol, other.protocol);
  const differs = (field: string) => differences.some((each) => each.field === field);
  const problems = differs('dataset.problems') || differs('dataset.digest');
  return [
    ...(problems ? [problemWords(baseline, other, words)] : []),
    ...differences.filter(({ field }) => !field.startsWith('dataset.')).map((each) => fieldWords(each, words)),
  ];
}

function problemWords(baseline: EndedEvaluation, other: EndedEvaluation, words: ComparisonWords): string {
  const [before, after] = [baseline, other].map(({ report }) => report.problems.map(({ question }) => question.trim()));
  const [most, count] = [before!.length, after!.length];
  const begins = before!.slice(0, count).every((question, index) => question === after![index]);
  if (count === most) return words.otherProblems;
  if (!begins) return fill(words.problemsInstead, countText(count), countText(most));
  return count < most
    ? fill(words.onlyFirst, countText(count))
    : fill(words.moreThanFirst, countText(count), countText(most));
}

function fieldWords({ field, values: [before, after] }: ProtocolDifference, words: ComparisonWords): string {
  if (field === 'mode') return after === 'text' ? words.textInstead : words.toolInstead;
  return fill(words.insteadOf, fieldName(field, words), valueText(after), valueText(before));
}

/** As the experiment file has it, but for what everybody knows by another name. */
const fieldName = (field: string, words: ComparisonWords): string =>
  words.fields[field as keyof typeof words.fields] ?? field.replace(/^settings\./, '');

const longest = 24;
const valueText = (value: unknown): string => {
  const text = String(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
};

/** Of the facts by which evaluations are told apart, so many are said wherever they are not the usual ones. */
export const askedFacts = 4;

/** What tells evaluations of one name apart, the most telling first; empty where it is not known. */
export function tellingFacts(evaluation: EndedEvaluation, words: ComparisonWords): string[] {
  const { protocol, report, origin } = evaluation;
  const { temperature, samples, mode, topP, topK, seed } = protocol;
  return [
    fill(words.shortTemperature, temperature),
    fill(words.shortSamples, samples),
    fill(words.shortProblems, report.problems.length),
    mode === 'tool' ? words.toolMode : words.textMode,
    fill(words.topP, topP),
    `top_k ${topK}`,
    seed === undefined ? '' : fill(words.shortSeed, seed),
    origin?.run ?? '',
  ];
}

/** What an evaluation was asked, of the fields in which some differ; of other problems it is said, not by which hash. */
export function askedIn(
  { protocol }: EndedEvaluation,
  baseline: EndedEvaluation,
  fields: readonly string[],
): Record<string, string | number> {
  const leaves = new Map(leavesOf(protocol));
  const value = (field: string): string | number => {
    if (field === 'dataset.digest')
      return protocol.dataset.digest === baseline.protocol.dataset.digest ? 'same' : 'other';
    const said = leaves.get(field);
    return typeof said === 'number' ? said : String(said ?? '');
  };
  return Object.fromEntries(fields.map((field) => [field.replace(/^settings\./, ''), value(field)]));
}
