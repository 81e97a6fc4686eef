import { resolve } from 'node:path';
import { countText, noValue, priceText } from '../figures/numbers';
import { RetoolError } from '../lib/errors';
import { shellQuoted } from '../lib/shellQuoted';
import { pointsText } from '../lib/texts';
import { alikeGroups, defaultBaseline } from '../run/alikeEvaluations';
import { askedOtherwise } from '../run/askedOtherwise';
import { type ComparedEvaluation, compareEvaluations } from '../run/compareEvaluations';
import { evaluationCost } from '../run/evaluationCost';
import { labelled } from '../run/evaluationLabels';
import { fingerprintOf } from '../run/evaluationProtocol';
import { type EndedEvaluation, evaluationsAt } from '../run/runEvaluations';
import { readArguments } from './arguments';
import { words, writeComparison } from './compareFiles';
import { commandHelp } from './help';
import { shown } from './invocation';
import { lostGenerations } from './lostGenerations';
import { exitCode, type Output } from './output';
import { percent } from './percent';

/** Shows evaluations beside each other: of runs, of folders, or files. */
export async function compareCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.compare.usage,
    args,
    { least: 1, most: Number.POSITIVE_INFINITY },
    {
      json: { type: 'boolean' },
      dataset: { type: 'string' },
      baseline: { type: 'string' },
      unlike: { type: 'boolean' },
      csv: { type: 'string' },
      markdown: { type: 'string' },
      svg: { type: 'string' },
      'checkpoint-svg': { type: 'string' },
    },
  );
  const broken: RetoolError[] = [];
  const ended = await evaluationsAt(
    positionals.map((path) => resolve(path)),
    (fault) => broken.push(fault),
  );
  if (ended.length === 0) {
    if (broken[0]) throw broken[0];
    const named = positionals.map((path) => shown(resolve(path)));
    throw new RetoolError('run', `${named.join(', ')}: no evaluation that has ended.`, {
      hint: `'retool evaluate ${named[0]}' makes one.`,
    });
  }
  const dataset = values.dataset ?? ended.at(-1)!.protocol.dataset.name;
  const on = ended.filter(({ protocol }) => protocol.dataset.name === dataset);
  const groups = alikeGroups(labelled(on, words));
  const baseline = values.baseline ?? defaultBaseline(groups, on.at(-1)?.id);
  if (baseline === undefined || !on.some(({ id }) => id === baseline)) {
    const known = [...new Set(ended.map(({ protocol }) => protocol.dataset.name))].join(', ');
    throw new RetoolError(
      'usage',
      `No evaluation on ${dataset}${values.baseline === undefined ? '' : ` is called "${baseline}"`}.`,
      {
        hint: on.length > 0 ? `There are ${on.map(({ id }) => id).join(', ')}.` : `There are evaluations on ${known}.`,
      },
    );
  }
  const { evaluations, baseline: first } = compareEvaluations(on, baseline);
  const otherwise = (evaluation: EndedEvaluation) => askedOtherwise(first, evaluation, words).join('; ');
  const alike = evaluations.filter(({ differences }) => differences.length === 0 || values.unlike === true);
  output.say(`${dataset}, compared with ${baseline}:`);
  for (const compared of alike) sayRow(compared, otherwise(compared.evaluation), output);
  for (const { evaluation } of evaluations.filter((each) => !alike.includes(each))) {
    const why = `for it was asked otherwise: ${otherwise(evaluation)}`;
    output.say(`${evaluation.id} is left out, ${why}. --unlike shows it all the same.`);
  }
  for (const { message } of broken) output.say(`Left out, for it cannot be read: ${message}`);
  sayOtherSets(ended, dataset, output);
  await writeComparison(on, { dataset, baseline, unlike: values.unlike === true }, values, output);
  output.summary({
    dataset,
    baseline,
    compared: alike.length,
    leftOut: evaluations.length - alike.length,
    otherSets: ended.length - on.length,
    broken: broken.length,
  });
  return exitCode.done;
}

/** Ids that are named before the rest is counted. */
const mostNamed = 5;

/** Evaluations on one set are compared; those on others are named, with what shows them. */
function sayOtherSets(ended: readonly EndedEvaluation[], dataset: string, output: Output): void {
  const others = ended.filter(({ protocol }) => protocol.dataset.name !== dataset);
  for (const name of new Set(others.map(({ protocol }) => protocol.dataset.name))) {
    const ids = others.filter(({ protocol }) => protocol.dataset.name === name).map(({ id }) => id);
    const rest = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
    const are = ids.length === 1 ? 'is' : 'are';
    output.say(
      `On ${name} ${are} ${ids.slice(0, mostNamed).join(', ')}${rest}: --dataset ${shellQuoted(name)} shows ${ids.length === 1 ? 'it' : 'them'}.`,
    );
  }
}

function sayRow(compared: ComparedEvaluation, otherwise: string, output: Output): void {
  const { evaluation, paired, caution, differences, gained, lost } = compared;
  const { id, report, protocol } = evaluation;
  const { samples, average, interval, passAtK, format, codeCalls, turns, correct, generations } = report;
  const between = interval ? ` (${percent(interval.low)} to ${percent(interval.high)})` : '';
  const spread = paired && paired.low < paired.high ? ` (${pointsText(paired.low)} to ${pointsText(paired.high)})` : '';
  const against = paired ? `, ${pointsText(paired.difference)} points${spread}` : '';
  output.say(
    `${id}: average@${samples} ${percent(average)}${between}${against}, pass@${samples} ${percent(passAtK.get(samples))}, format ${percent(format)}, ${codeCalls?.toFixed(2) ?? '–'} calls, ${turns?.toFixed(2) ?? '–'} turns, ${correct} of ${generations} correct, ${costWords(evaluation)}`,
  );
  if (caution !== undefined) output.say(`  ${caution}`);
  for (const sentence of lostGenerations(report)) output.say(`  ${sentence}`);
  if (otherwise !== '') output.say(`  Asked otherwise: ${otherwise}.`);
  const ids = (scores: ComparedEvaluation['gained']) => scores.map((score) => score.id);
  output.record({
    kind: 'evaluation',
    id,
    fingerprint: fingerprintOf(protocol),
    ...resultOf(evaluation),
    cost: evaluationCost(evaluation),
    paired,
    caution,
    differences,
    gained: ids(gained),
    lost: ids(lost),
  });
}

function costWords(evaluation: EndedEvaluation): string {
  const cost = evaluationCost(evaluation);
  if (!cost) return `cost ${noValue}`;
  const { prompt, sampled, money } = cost;
  const tokens = `${countText(prompt)} prompt and ${countText(sampled)} sampled tokens`;
  return money ? `cost ${priceText(money)} (${tokens})` : tokens;
}

function resultOf({ report }: EndedEvaluation): object {
  const { problems: _problems, passAtK, stops, summary: _summary, ...result } = report;
  return { ...result, passAtK: Object.fromEntries(passAtK), stops: Object.fromEntries(stops) };
}
