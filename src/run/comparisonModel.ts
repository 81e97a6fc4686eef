import { shareOf } from '../evaluation/estimators';
import { supports } from '../evaluation/supports';
import { countText, fill } from '../figures/numbers';
import { RetoolError } from '../lib/errors';
import type { ComparedRow, ComparisonChoice, ComparisonModel } from '../schema/comparison';
import type { ComparisonWords } from '../schema/comparisonWords';
import type { EvaluationProtocol } from '../schema/evaluation';
import { alikeGroups, defaultBaseline } from './alikeEvaluations';
import { askedIn, askedOtherwise } from './askedOtherwise';
import { type ComparedEvaluation, compareEvaluations } from './compareEvaluations';
import { comparisonCaption } from './comparisonCaption';
import { evaluationCost } from './evaluationCost';
import { distinctLabels, labelled } from './evaluationLabels';
import { modelOf, originsOf } from './evaluationOrigin';
import type { EndedEvaluation } from './runEvaluations';

/**
 * What a comparison shows: of the chosen data set, else that of the last evaluation; against the chosen baseline, else
 * the first of the largest group that was asked alike. What was asked otherwise than the baseline is left out and named,
 * unless it is asked for.
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
  const groups = alikeGroups(all);
  const chosen = all.find(({ evaluation }) => evaluation.id === choice.baseline)?.evaluation.id;
  const last = ended.findLast(({ protocol }) => protocol.dataset.name === dataset)?.id;
  const baseline = chosen ?? defaultBaseline(groups, last);
  if (dataset === undefined || baseline === undefined) {
    throw new RetoolError('usage', `There is no evaluation on ${dataset ?? 'any problems'}.`, {
      hint: datasets.length > 0 ? `There are some on ${datasets.join(', ')}.` : "'retool evaluate' makes one.",
    });
  }
  const evaluations = all.map(({ evaluation }) => evaluation);
  const from = evaluations.find(({ id }) => id === baseline)!;
  const otherwise = new Map(evaluations.map((each) => [each.id, askedOtherwise(from, each, words)]));
  const unlike = evaluations.filter(({ id }) => otherwise.get(id)!.length > 0);
  const shown = choice.unlike ? evaluations : evaluations.filter((each) => !unlike.includes(each));
  const { evaluations: compared, order, baseline: first } = compareEvaluations(shown, baseline);
  const known = new Map(all.map((each) => [each.evaluation.id, each]));
  const names = distinctLabels(all, words);
  const labels = distinctLabels(
    all.filter(({ evaluation }) => shown.includes(evaluation)),
    words,
  );
  const fields = [...new Set(compared.flatMap(({ differences }) => differences.map(({ field }) => field)))];
  const samples = new Set(shown.map(({ report }) => report.samples));
  const questions = new Map(first.report.problems.map(({ id, question }, index) => [id, { question, index }]));
  const asked = order.map((id) => ({ id, question: questions.get(id)!.question }));
  const short = order.every((id) => id.length <= 4);
  return {
    dataset,
    datasets,
    facts: factsOf(first.protocol, words),
    baseline,
    baselineName: names.get(baseline)!,
    groups: groups.map((group) => ({
      title: factsOf(group[0]!.evaluation.protocol, words).join(' · '),
      members: group.map(({ evaluation: { id } }) => ({ id, label: names.get(id)! })),
    })),
    origins: originsOf(shown, words),
    samples: samples.size === 1 ? [...samples][0] : undefined,
    rows: compared.map((each) =>
      rowOf(each, asked, words, {
        label: labels.get(each.evaluation.id)!,
        note: known.get(each.evaluation.id)!.note,
        otherwise: otherwise.get(each.evaluation.id)!,
        asked: askedIn(each.evaluation, first, fields),
      }),
    ),
    unlike: unlike.map(({ id }) => ({
      id,
      label: names.get(id)!,
      fields: otherwise.get(id)!,
      shown: choice.unlike === true,
    })),
    problems: order.map((id) => {
      const { question, index } = questions.get(id)!;
      return { id, question: question.slice(0, 400), label: short ? id : String(index + 1) };
    }),
    ...comparisonCaption(shown, words),
  };
}

/** That of the last evaluation. */
const datasetOf = (ended: readonly EndedEvaluation[]): string | undefined => ended.at(-1)?.protocol.dataset.name;

function factsOf({ dataset, samples, temperature, topP, settings, mode }: EvaluationProtocol, words: ComparisonWords) {
  const { trajectoryTokens } = (settings.budgets ?? {}) as { readonly trajectoryTokens?: unknown };
  return [
    fill(
      samples === 1 ? words.problemsByOne : words.problemsBySamples,
      countText(dataset.problems),
      countText(samples),
    ),
    fill(words.temperature, Number.isInteger(temperature) ? temperature.toFixed(1) : temperature),
    fill(words.topP, topP),
    ...(typeof trajectoryTokens === 'number' ? [fill(words.budget, countText(trajectoryTokens))] : []),
    mode === 'tool' ? words.toolMode : words.textMode,
  ];
}

function rowOf(
  { evaluation, paired, gained, lost }: ComparedEvaluation,
  asked: readonly { readonly id: string; readonly question: string }[],
  words: ComparisonWords,
  name: Pick<ComparedRow, 'label' | 'note' | 'otherwise' | 'asked'>,
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
    origin: evaluation.origin,
    model: modelOf(evaluation),
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
    counts: asked.map(({ id: problem, question }) => {
      const score = byId.get(problem);
      return score?.question === question ? { correct: score.correct, samples: score.samples } : undefined;
    }),
    gained: gained.map((score) => score.id),
    lost: lost.map((score) => score.id),
  };
}
