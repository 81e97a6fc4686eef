import type { AskedEvaluation } from '../../schema/runState';
import type { Strings } from '../strings';
import { count } from './format';
import { modelText } from './subjectText';

type Words = Strings['evaluation'];

/** How an evaluation is asked, by field; a field that an imported file does not say is not there. */
function settingsOf({ problems, samples, settings }: AskedEvaluation, words: Words): ReadonlyMap<string, string> {
  const { mode, temperature, topP, topK, seed } = settings;
  const all: [string, string | undefined][] = [
    ['mode', words.modes[mode]],
    ['samples', words.samplesAre(count(samples))],
    ['temperature', words.temperatureIs(String(temperature))],
    ['topP', words.topPIs(String(topP))],
    ['topK', topK > 0 ? words.topKIs(String(topK)) : words.noTopK],
    ['seed', seed === undefined ? undefined : words.seedIs(String(seed))],
    ['problems', words.problemsAre(count(problems))],
  ];
  return new Map(all.flatMap(([field, text]) => (text === undefined ? [] : [[field, text]])));
}

/** `With code · 12 samples · temperature 0.6 · top-p 1 · no top-k · seed 7 · 30 problems`. */
export const settingsText = (asked: AskedEvaluation, { evaluation }: Strings): string =>
  [...settingsOf(asked, evaluation).values()].join(' · ');

/**
 * What tells an evaluation from the others of the same model on the same data set: `temperature 0.6`.
 *
 * @returns undefined where there is no other.
 */
export function distinction(
  asked: AskedEvaluation,
  all: readonly AskedEvaluation[],
  strings: Strings,
): string | undefined {
  const name = (each: AskedEvaluation) => `${each.dataset} · ${modelText(each.subject, strings)}`;
  const others = all.filter((other) => other.id !== asked.id && name(other) === name(asked));
  if (others.length === 0) return undefined;
  const own = settingsOf(asked, strings.evaluation);
  const unlike = others.map((other) => {
    const its = settingsOf(other, strings.evaluation);
    return [...own.keys()].filter((field) => its.has(field) && its.get(field) !== own.get(field));
  });
  const texts = [...own].flatMap(([field, text]) => (unlike.some((fields) => fields.includes(field)) ? [text] : []));
  // Other budgets, or a file that changed.
  const alike = unlike.some((fields) => fields.length === 0);
  const { subject, id } = asked;
  return [...texts, ...(alike ? [subject.kind === 'imported' ? subject.from : id.split('.').at(-1)!] : [])].join(', ');
}
