import { createHash } from 'node:crypto';
import type { EvaluationMode, EvaluationProtocol, EvaluationSubject } from '../schema/evaluation';
import type { Experiment } from '../schema/experiment';
import type { Problem } from '../schema/trajectory';

/** What may be asked otherwise than the experiment has it. */
export interface EvaluationChoices {
  readonly mode?: EvaluationMode | undefined;
  readonly samples?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  /** Only the first problems. */
  readonly limit?: number | undefined;
}

/** The protocol of an evaluation: what the experiment says, and the choices that override it. */
export function protocolOf(
  experiment: Experiment,
  dataset: { readonly name: string; readonly problems: readonly Problem[] },
  choices: EvaluationChoices,
): EvaluationProtocol {
  const { evaluation, protocol, budgets, malformedCalls, observation, calls, reward, sandbox } = experiment;
  const { wallSeconds, cpuSeconds, outputBytes, fusionUrl } = sandbox;
  return {
    dataset: { name: dataset.name, problems: dataset.problems.length, digest: digestOf(dataset.problems) },
    mode: choices.mode ?? 'tool',
    samples: choices.samples ?? evaluation.samplesPerProblem,
    temperature: choices.temperature ?? evaluation.temperature,
    topP: choices.topP ?? evaluation.topP,
    topK: choices.topK ?? evaluation.topK ?? -1,
    seed: choices.seed ?? experiment.seed,
    settings: {
      protocol,
      budgets,
      malformedCalls,
      observation,
      calls,
      reward,
      sandbox: { wallSeconds, cpuSeconds, outputBytes, ...(fusionUrl && { fusionUrl }) },
    },
  };
}

/** The experiment as the rollouts of an evaluation need it. */
export function experimentUnder(experiment: Experiment, mode: EvaluationMode): Experiment {
  if (mode === 'tool') return experiment;
  return { ...experiment, budgets: { ...experiment.budgets, turns: 1, calls: 0, beyondCalls: 'continueInText' } };
}

/** The same for the same questions and answers, whatever file they came in. Whole numbers lose what does not count. */
export function digestOf(problems: readonly Problem[]): string {
  const hash = createHash('sha256');
  for (const { question, answer } of problems) {
    hash.update(`${JSON.stringify([question.trim(), plain(answer.trim())])}\n`);
  }
  return hash.digest('hex');
}

const plain = (answer: string): string => answer.replace(/^0+(?=\d)/, '').replace(/^(\d+)\.0+$/, '$1');

/** Hash of a protocol: equal for evaluations that may be compared. */
export const fingerprintOf = (protocol: EvaluationProtocol): string =>
  createHash('sha256')
    .update(JSON.stringify(leavesOf(protocol)))
    .digest('hex');

/** A field in which two protocols differ. */
export interface ProtocolDifference {
  /** For example `settings.budgets.turns`. */
  readonly field: string;
  readonly values: readonly [unknown, unknown];
}

/** Fields that one of them does not say are no difference: an imported file says little. */
export function protocolDifferences(a: EvaluationProtocol, b: EvaluationProtocol): ProtocolDifference[] {
  const [first, second] = [new Map(leavesOf(a)), new Map(leavesOf(b))];
  return [...first].flatMap(([field, value]) =>
    second.has(field) && second.get(field) !== value ? [{ field, values: [value, second.get(field)] as const }] : [],
  );
}

/** Every value by its path, sorted; what is undefined is not there. */
export function leavesOf(node: object, prefix = ''): [string, unknown][] {
  return Object.entries(node)
    .flatMap(([key, value]): [string, unknown][] => {
      if (value === undefined) return [];
      if (typeof value === 'object' && value !== null) return leavesOf(value, `${prefix}${key}.`);
      return [[`${prefix}${key}`, value]];
    })
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Name of an evaluation: the same question to the same model is the same evaluation. */
export function evaluationId(subject: EvaluationSubject, protocol: EvaluationProtocol): string {
  const who =
    subject.kind === 'checkpoint'
      ? subject.path === undefined
        ? 'base'
        : `${subject.phase === 'coldStart' ? 'cold-start' : 'step'}-${subject.step}`
      : subject.model;
  const what = createHash('sha256')
    .update(JSON.stringify([fingerprintOf(protocol), leavesOf(subject)]))
    .digest('hex')
    .slice(0, 8);
  return [slug(protocol.dataset.name), slug(who), what].join('.');
}

/** A text as a part of a file's name. */
export const slug = (text: string): string =>
  text
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60) || 'x';
