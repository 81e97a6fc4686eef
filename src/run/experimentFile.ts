import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type * as z from 'zod';
import { rewardsOf } from '../grading/createRule';
import { dataNameFault, isHubName } from '../hub/hubName';
import { RetoolError } from '../lib/errors';
import { readUserText } from '../lib/userFile';
import { computedHere } from '../rl/objective';
import { Experiment } from '../schema/experiment';
import { namedFiles } from './dataFiles';
import { meantBy } from './fieldNames';

/** One thing that is wrong with an experiment file, and where. */
export interface ExperimentIssue {
  /** Path of the field, for example `['reinforcement', 'groupSize']`; empty for the whole file. */
  readonly path: JSONPath;
  /** A sentence without its field. */
  readonly message: string;
  /** Characters from the start of the file. */
  readonly offset: number;
  readonly length: number;
  /** The field that was most likely meant by one that there is not; then the place is that of its name. */
  readonly meant?: string;
  /** The text is no JSON at all. */
  readonly syntax?: boolean;
}

export interface ParsedExperiment {
  /** Undefined while there are issues. */
  readonly experiment: Experiment | undefined;
  readonly issues: readonly ExperimentIssue[];
}

/** Reads the text of an experiment file. Names every field that is wrong, those that depend on each other included. */
export function parseExperiment(text: string): ParsedExperiment {
  const errors: ParseError[] = [];
  const source = text.charCodeAt(0) === 0xfeff ? ` ${text.slice(1)}` : text;
  if (isDeep(source)) {
    const issues = [{ path: [], message: 'is nested too deeply', offset: 0, length: 1, syntax: true }];
    return { experiment: undefined, issues };
  }
  const root = parseTree(source, errors, { allowTrailingComma: true, disallowComments: false });
  if (errors.length > 0 || !root) {
    const issues = errors.map(({ error, offset, length }) => ({
      path: [],
      message: `is not JSON: ${printParseErrorCode(error)
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase()}`,
      offset,
      length,
      syntax: true,
    }));
    return { experiment: undefined, issues: issues.slice(0, 1) };
  }
  const at = (path: JSONPath) => {
    for (let end = path.length; end >= 0; end--) {
      const node = findNodeAtLocation(root, path.slice(0, end));
      if (node) return { offset: node.offset, length: node.length };
    }
    return { offset: 0, length: 1 };
  };
  const issue = (path: JSONPath, message: string): ExperimentIssue => ({ path, message, ...at(path) });
  const misnamed = (path: JSONPath): ExperimentIssue => {
    const { meant, home } = meantBy(path);
    const advice = meant ? ` (did you mean "${meant}"?)` : home ? `; it belongs in ${home}` : '';
    const name = findNodeAtLocation(root, path)?.parent?.children?.[0];
    const place = name ? { offset: name.offset, length: name.length } : at(path);
    return { path, message: `is no field of an experiment${advice}`, ...place, ...(meant && { meant }) };
  };

  const repeated = repeatedFields(root).map(([path, name]) => ({
    path,
    message: 'is given twice',
    offset: name.offset,
    length: name.length,
  }));
  if (repeated.length > 0) return { experiment: undefined, issues: repeated };

  const parsed = Experiment.safeParse(toValue(root));
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap((found) =>
      found.code === 'unrecognized_keys'
        ? found.keys.map((key) => misnamed([...(found.path as JSONPath), key]))
        : describe(found, (path) => findNodeAtLocation(root, path) !== undefined).map(([path, message]) =>
            issue(path, message),
          ),
    );
    return { experiment: undefined, issues };
  }
  const issues = [...crossFieldIssues(parsed.data), ...hubIssues(parsed.data)].map(([path, message]) =>
    issue(path, message),
  );
  return { experiment: issues.length === 0 ? parsed.data : undefined, issues };
}

/** No experiment nests as deep; a reader that calls itself would end on such a text. */
const deepest = 64;

function isDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\\n]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

/** Fields that an object has twice: of which one counts is no person's guess. */
function repeatedFields(node: Node, path: JSONPath = []): [JSONPath, Node][] {
  if (node.type === 'array') return (node.children ?? []).flatMap((child, i) => repeatedFields(child, [...path, i]));
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return (node.children ?? []).flatMap(({ children }) => {
    const [name, value] = children ?? [];
    if (!name) return [];
    const own: JSONPath = [...path, name.value as string];
    const twice = seen.has(name.value as string);
    seen.add(name.value as string);
    return [...(twice ? [[own, name] as [JSONPath, Node]] : []), ...(value ? repeatedFields(value, own) : [])];
  });
}

function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children }) => {
      const [key, value] = children ?? [];
      return key && value ? [[key.value as string, toValue(value)]] : [];
    }),
  );
}

function describe(issue: z.core.$ZodIssue, isThere: (path: JSONPath) => boolean): [JSONPath, string][] {
  const path = issue.path as JSONPath;
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return [[path, 'is empty']];
      return [[path, `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`]];
    case 'too_big':
      return [[path, `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}`]];
    case 'invalid_value':
      return [[path, `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`]];
    case 'invalid_type':
      return [[path, isThere(path) ? `must be ${article(issue.expected)}` : `is missing (${issue.expected})`]];
    default:
      return [[path, issue.message]];
  }
}

const article = (type: string): string =>
  type === 'int' ? 'a whole number' : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;

function crossFieldIssues({ service, data, budgets, reinforcement, reward }: Experiment): [JSONPath, string][] {
  const { correct, incorrect } = rewardsOf(reward);
  const { loss } = reinforcement;
  const rules: [boolean, JSONPath, string][] = [
    [
      data.holdOut !== undefined && data.evaluation !== undefined,
      ['data', 'holdOut'],
      'stands beside data.evaluation: the evaluation has one of them',
    ],
    [
      data.holdOut !== undefined && !data.deduplicate,
      ['data', 'holdOut'],
      'needs data.deduplicate: a repeated question would be trained on and held out',
    ],
    [
      budgets.trajectoryTokens > service.context,
      ['budgets', 'trajectoryTokens'],
      `is ${budgets.trajectoryTokens}, more than service.context (${service.context})`,
    ],
    [
      budgets.turnTokens > budgets.trajectoryTokens,
      ['budgets', 'turnTokens'],
      `is ${budgets.turnTokens}, more than budgets.trajectoryTokens (${budgets.trajectoryTokens})`,
    ],
    [
      budgets.observationTokens >= budgets.trajectoryTokens,
      ['budgets', 'observationTokens'],
      `is ${budgets.observationTokens}, but a trajectory has only ${budgets.trajectoryTokens} tokens`,
    ],
    [
      reinforcement.minibatches > reinforcement.problemsPerStep,
      ['reinforcement', 'minibatches'],
      `is ${reinforcement.minibatches}, more than problemsPerStep (${reinforcement.problemsPerStep})`,
    ],
    [
      (reinforcement.resampleOnCorrect ?? 0) >= reinforcement.groupSize,
      ['reinforcement', 'resampleOnCorrect'],
      `is ${reinforcement.resampleOnCorrect}, not below groupSize (${reinforcement.groupSize})`,
    ],
    [
      loss.dualClip !== undefined && loss.kind !== 'ppo',
      ['reinforcement', 'loss', 'dualClip'],
      `bounds the loss of ppo, but kind is ${loss.kind}`,
    ],
    [
      loss.dualClip !== undefined && loss.dualClip <= loss.clipHigh,
      ['reinforcement', 'loss', 'dualClip'],
      `is ${loss.dualClip}, not above clipHigh (${loss.clipHigh})`,
    ],
    [
      loss.entropyCoefficient > 0 && computedHere(loss) !== undefined,
      ['reinforcement', 'loss', 'entropyCoefficient'],
      `is ${loss.entropyCoefficient}, but a loss with ${computedHere(loss)} has no entropy bonus: set it to 0`,
    ],
    [
      loss.entropyCoefficient > 0 && loss.aggregation === 'sequenceMeanTokenMean',
      ['reinforcement', 'loss', 'entropyCoefficient'],
      `is ${loss.entropyCoefficient}, but with sequenceMeanTokenMean there is no entropy bonus: set it to 0`,
    ],
    [
      loss.aggregationTokens !== undefined && loss.aggregation !== 'sequenceMeanTokenSumNorm',
      ['reinforcement', 'loss', 'aggregationTokens'],
      `is for sequenceMeanTokenSumNorm, but aggregation is ${loss.aggregation}`,
    ],
    [
      correct <= incorrect,
      ['reward', reward.correct === undefined ? 'incorrect' : 'correct'],
      reward.correct === undefined
        ? `is ${incorrect}, not below reward.correct (${correct})`
        : `is ${correct}, not above reward.incorrect (${incorrect})`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, path, message]) => [path, message]);
}

function hubIssues(experiment: Experiment): [JSONPath, string][] {
  const files = namedFiles(experiment).filter(({ path }) => isHubName(path));
  const faults = files.flatMap(({ field, path }): [JSONPath, string][] => {
    const why = dataNameFault(path);
    return why === undefined ? [] : [[field.split('.'), `names no file of a hub: ${why}`]];
  });
  const unused = Object.keys(experiment.pins ?? {}).filter((name) => !files.some(({ path }) => path === name));
  return [
    ...faults,
    ...unused.map((name): [JSONPath, string] => [['pins', name], 'pins a file that nothing here names']),
  ];
}

/** Characters of a field's name that are said: a wrong one can be of any length. */
const longestField = 100;

/** For example `reinforcement.groupSize (line 12) must be at least 2`. */
export function issueSentence(text: string, { path, message, offset }: ExperimentIssue): string {
  const line = text.slice(0, offset).split('\n').length;
  const field = path.join('.');
  const named = field.length > longestField ? `${field.slice(0, longestField)}…` : field;
  return path.length > 0 ? `${named} (line ${line}) ${message}` : `line ${line} ${message}`;
}

/** @throws RetoolError `config` with one sentence that names every field that is wrong. */
export async function readExperiment(path: string): Promise<Experiment> {
  const hint = 'Give the path of a *.retool.json file, for example examples/arithmetic.retool.json.';
  const text = await readUserText(path, 'config', hint);
  const { experiment, issues } = parseExperiment(text);
  if (experiment) return experiment;
  throw new RetoolError('config', `${path}: ${issues.map((issue) => issueSentence(text, issue)).join('; ')}.`, {
    hint: 'Mend these fields and start again.',
  });
}
