import { protocolDifferences } from './evaluationProtocol';
import type { EndedEvaluation } from './runEvaluations';

/** Evaluations that were asked alike stand together; groups and their members in the order in which they came. */
export function alikeGroups<T extends { readonly evaluation: EndedEvaluation }>(all: readonly T[]): T[][] {
  const groups: [T, ...T[]][] = [];
  for (const each of all) {
    // An imported file says little: it is alike to the first whose words it does not contradict.
    const alike = groups.find(
      ([first]) => protocolDifferences(first.evaluation.protocol, each.evaluation.protocol).length === 0,
    );
    if (alike) alike.push(each);
    else groups.push([each]);
  }
  return groups;
}

/** Where nobody has chosen: undefined of no group, else the first of the largest group; of groups as large, that of the last evaluation. */
export function defaultBaseline(
  groups: readonly (readonly { readonly evaluation: EndedEvaluation }[])[],
  last: string | undefined,
): string | undefined {
  const most = Math.max(...groups.map(({ length }) => length));
  const largest = groups.filter(({ length }) => length === most);
  const group = largest.find((each) => each.some(({ evaluation }) => evaluation.id === last)) ?? largest[0];
  return group?.[0]?.evaluation.id;
}
