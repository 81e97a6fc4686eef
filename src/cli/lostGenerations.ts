import type { EvaluationReport } from '../run/evaluationReport';

/** What of an evaluation counts nowhere, a sentence each. */
export const lostGenerations = ({ infrastructure, filtered }: EvaluationReport): string[] => [
  ...(infrastructure > 0 ? [`${infrastructure} generations failed by sandbox or service and are left out.`] : []),
  ...(filtered > 0
    ? [
        `${filtered} generations were withheld by a content filter of the service: neither right nor wrong, they are left out.`,
      ]
    : []),
];
