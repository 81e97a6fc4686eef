import { subjectName } from '../figures/subjectName';
import type { ComparisonWords } from '../schema/comparisonWords';
import { askedFacts, tellingFacts } from './askedOtherwise';
import type { EndedEvaluation } from './runEvaluations';

/** An evaluation and what it is called among others. */
export interface Labelled {
  readonly evaluation: EndedEvaluation;
  readonly label: string;
  readonly note: string;
}

/** Names evaluations by their subjects, and orders them: before training, by step, then other models as they came. */
export const labelled = (evaluations: readonly EndedEvaluation[], words: ComparisonWords): Labelled[] =>
  evaluations
    .map((evaluation) => ({ evaluation, ...subjectName(evaluation.subject, words) }))
    .sort((a, b) => a.place - b.place);

/**
 * Labels by id. Those that several would share end with what was asked of them and not of most, or with what else tells
 * them apart; at the last with a number.
 */
export function distinctLabels(shown: readonly Labelled[], words: ComparisonWords): ReadonlyMap<string, string> {
  const facts = new Map(shown.map((each) => [each, [...tellingFacts(each.evaluation, words), each.note]]));
  const usual = [...facts.values()][0]?.map((_, at) => mostFrequent([...facts.values()].map((some) => some[at]!)));
  const namesakes = new Map<string, Labelled[]>();
  for (const each of shown) namesakes.set(each.label, [...(namesakes.get(each.label) ?? []), each]);
  return new Map(
    [...namesakes.values()].flatMap((some) => {
      const names = some.length === 1 ? [some[0]!.label] : toldApart(some, facts, usual!);
      return names.map((name, index) => [some[index]!.evaluation.id, name] as const);
    }),
  );
}

function toldApart(
  some: readonly Labelled[],
  facts: ReadonlyMap<Labelled, readonly string[]>,
  usual: readonly string[],
): string[] {
  const different = (names: readonly string[]) => new Set(names).size;
  let names = some.map(({ label }) => label);
  for (const [at, most] of usual.entries()) {
    const longer = some.map((each, index) => {
      const fact = facts.get(each)![at]!;
      return fact === '' || fact === most ? names[index]! : `${names[index]} · ${fact}`;
    });
    if (at < askedFacts || different(longer) > different(names)) names = longer;
  }
  const uses = new Map<string, number>();
  return names.map((name) => {
    const use = (uses.get(name) ?? 0) + 1;
    uses.set(name, use);
    return use === 1 ? name : `${name} (${use})`;
  });
}

function mostFrequent(texts: readonly string[]): string {
  const uses = new Map<string, number>();
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1);
  return [...uses].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
