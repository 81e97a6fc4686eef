import { shareOf } from '../evaluation/estimators';
import { supports } from '../evaluation/supports';
import { countText, fill } from '../figures/numbers';
import { RetoolError } from '../lib/errors';
import type { ComparedRow, ComparisonChoice, ComparisonModel } from '../schema/comparison';
import type { ComparisonWords } from '../schema/comparisonWords';
import type { EvaluationProtocol } from '../schema/evaluation';
import { type ComparedEvaluation, compareEvaluations } from './compareEvaluations';
import { comparisonCaption } from './comparisonCaption';
import { evaluationCost } from './evaluationCost';
import { distinctLabels, type Labelled, labelled } from './evaluationLabels';
import { protocolDifferences } from './evaluationProtocol';
import type { EndedEvaluation } from './runEvaluations';

/**
 * What a comparison shows: of the chosen data set, else that of the last evaluation; against the chosen baseline, else
 * the first that was asked as the last was. What was asked otherwise than the baseline is left out and named, unless it is asked for.
 *
 * @throws RetoolError `usage` where there is no such evaluation.
 */
export function comparisonModel(
  ended: readonly EndedEvaluation[],
  choice: ComparisonChoice,
  words: ComparisonWords,
): ComparisonModel {
  const datasets = [...new Set(ended.map(({ protocol }) => protocol.dataset.name))];
  const dataset = choice.dataset ?? datasetOf(ended);
  const all = labelled(
    ended.filter(({ protocol }) => protocol.dataset.name === dataset),
    words,
  );
  const baseline = baselineOf(all, ended, choice.baseline);
  if (dataset === undefined || baseline === undefined) {
    throw new RetoolError('usage', `There is no evaluation on ${dataset ?? 'any problems'}.`, {
      hint: datasets.length > 0 ? `There are some on ${datasets.join(', ')}.` : "'retool evaluate' makes one.",
    });
  }
  const evaluations = all.map(({ evaluation }) => evaluation);
  const { protocol } = evaluations.find(({ id }) => id === baseline)!;
  const unlike = evaluations
    .map((evaluation) => ({ evaluation, differences: protocolDifferences(protocol, evaluation.protocol) }))
    .filter(({ differences }) => differences.length > 0);
  const leftOut = choice.unlike ? [] : unlike.map(({ evaluation }) => evaluation.id);
  const shown = evaluations.filter(({ id }) => !leftOut.includes(id));
  const { evaluations: compared, order, baseline: first } = compareEvaluations(shown, baseline);
  const known = new Map(all.map((each) => [each.evaluation.id, each]));
  const labels = distinctLabels(all.filter(({ evaluation }) => shown.includes(evaluation)));
  const samples = new Set(shown.map(({ report }) => report.samples));
  const questions = new Map(first.report.problems.map(({ id, question }, index) => [id, { question, index }]));
  const short = order.every((id) => id.length <= 4);
  return {
    dataset,
    datasets,
    facts: factsOf(first.protocol, words),
    baseline,
    samples: samples.size === 1 ? [...samples][0] : undefined,
    rows: compared.map((each) =>
      rowOf(each, order, words, {
        label: labels.get(each.evaluation.id)!,
        note: known.get(each.evaluation.id)!.note,
      }),
    ),
    unlike: unlike.map(({ evaluation, differences }) => ({
      id: evaluation.id,
      label: labels.get(evaluation.id) ?? known.get(evaluation.id)!.label,
      fields: differences.map(({ field, values: [a, b] }) => fill(words.unlikeField, field, String(a), String(b))),
      shown: choice.unlike === true,
    })),
    problems: order.map((id) => {
      const { question, index } = questions.get(id)!;
      return { id, question: question.slice(0, 400), label: short ? id : String(index + 1) };
    }),
    caption: comparisonCaption(shown, words),
  };
}

/** The chosen one; else the first of those that were asked as the last was. */
function baselineOf(all: readonly Labelled[], ended: readonly EndedEvaluation[], chosen: string | undefined) {
  const ids = all.map(({ evaluation }) => evaluation.id);
  if (chosen !== undefined && ids.includes(chosen)) return chosen;
  const last = ended.findLast(({ id }) => ids.includes(id));
  return all.find(({ evaluation }) => last && protocolDifferences(last.protocol, evaluation.protocol).length === 0)
    ?.evaluation.id;
}

/** That of the last evaluation. */
const datasetOf = (ended: readonly EndedEvaluation[]): string | undefined => ended.at(-1)?.protocol.dataset.name;

function factsOf({ dataset, samples, temperature, topP, settings, mode }: EvaluationProtocol, words: ComparisonWords) {
  const { trajectoryTokens } = (settings.budgets ?? {}) as { readonly trajectoryTokens?: unknown };
  return [
    fill(words.problemsBySamples, countText(dataset.problems), countText(samples)),
    fill(words.temperature, Number.isInteger(temperature) ? temperature.toFixed(1) : temperature),
    fill(words.topP, topP),
    ...(typeof trajectoryTokens === 'number' ? [fill(words.budget, countText(trajectoryTokens))] : []),
    mode === 'tool' ? words.toolMode : words.textMode,
  ];
}

function rowOf(
  { evaluation, paired, gained, lost }: ComparedEvaluation,
  order: readonly string[],
  words: ComparisonWords,
  name: { readonly label: string; readonly note: string },
): ComparedRow {
  const { report, id } = evaluation;
  const scored = report.problems.filter(({ samples }) => samples > 0);
  const byId = new Map(scored.map((score) => [score.id, score]));
  const judgements = [
    supports({ kind: 'interval', values: scored.map(shareOf) }),
    supports({ kind: 'passAtK', scores: scored, k: report.samples }),
    ...(paired ? [supports({ kind: 'difference', paired })] : []),
  ];
  const cautions = judgements.flatMap((judged) =>
    judged.supported ? [] : [fill(words.cautions[judged.sentence] ?? judged.sentence, ...judged.values)],
  );
  if (report.infrastructure > 0) cautions.push(fill(words.lostSamples, countText(report.infrastructure)));
  if (report.filtered > 0) cautions.push(fill(words.filteredSamples, countText(report.filtered)));
  return {
    id,
    ...name,
    samples: report.samples,
    average: report.average,
    interval: report.interval,
    paired,
    pass: report.passAtK.get(report.samples),
    format: report.format,
    codeCalls: report.codeCalls,
    turns: report.turns,
    correct: report.correct,
    generations: report.generations,
    cost: evaluationCost(evaluation),
    infrastructure: report.infrastructure,
    cautions: [...new Set(cautions)],
    counts: order.map((problem) => {
      const score = byId.get(problem);
      return score && { correct: score.correct, samples: score.samples };
    }),
    gained: gained.map((score) => score.id),
    lost: lost.map((score) => score.id),
  };
}
