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
import { nearest } from '../lib/nearest';
import { readUserText } from '../lib/userFile';
import { presets } from '../presets/presets';
import { computedHere } from '../rl/objective';
import { Experiment } from '../schema/experiment';
import { namedFiles } from './dataFiles';
import { meantBy } from './fieldNames';
import { placeOf } from './fieldPlace';

export { describeField } from './fieldNames';

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
  /** The text is no JSON, or none that has one meaning. */
  readonly syntax?: boolean;
  /** The value is null: the published system does not say it, and a person has to. */
  readonly unknown?: boolean;
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
  if (root.type !== 'object') {
    const { offset, length } = root;
    return {
      experiment: undefined,
      issues: [{ path: [], message: 'must be an object', offset, length, syntax: true }],
    };
  }
  const at = (path: JSONPath) => placeOf(root, path);
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
    syntax: true,
  }));
  if (repeated.length > 0) return { experiment: undefined, issues: repeated };

  const unknown = unknownFields(root).map((path) => ({
    ...issue(path, 'is not known: choose a value'),
    unknown: true,
  }));
  const isUnknown = (path: JSONPath) => unknown.some((each) => each.path.join('.') === path.join('.'));
  const parsed = parsedWithout(toValue(root), isUnknown);
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap((found) =>
      found.code === 'unrecognized_keys'
        ? found.keys.map((key) => misnamed([...(found.path as JSONPath), key]))
        : describe(found, (path) => findNodeAtLocation(root, path) !== undefined).map(([path, message]) =>
            issue(path, message),
          ),
    );
    return { experiment: undefined, issues: [...unknown, ...issues.filter(({ path }) => !isUnknown(path))] };
  }
  const crossed = [...crossFieldIssues(parsed.data), ...hubIssues(parsed.data)].filter(([path]) => !isUnknown(path));
  const issues = [...unknown, ...crossed.map(([path, message]) => issue(path, message))];
  return { experiment: issues.length === 0 ? parsed.data : undefined, issues };
}

/** Tokens; the attention of the local trainer holds no more. */
const mostLocalContext = 2048;

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

/**
 * Parses with something in the place of each required field that is null, so that the rules among the others can be told.
 */
function parsedWithout(value: unknown, isUnknown: (path: JSONPath) => boolean) {
  const parsed = Experiment.safeParse(value);
  const missing = parsed.error?.issues ?? [];
  if (missing.length === 0 || !missing.every(({ path }) => isUnknown(path as JSONPath))) return parsed;
  for (const { path, ...issue } of missing) {
    let parent = value as Record<PropertyKey, unknown>;
    for (const key of path.slice(0, -1)) parent = parent[key] as Record<PropertyKey, unknown>;
    parent[path.at(-1)!] = issue.code === 'invalid_type' && issue.expected === 'string' ? '?' : 1;
  }
  return Experiment.safeParse(value);
}

/** Fields that are null. */
function unknownFields(node: Node, path: JSONPath = []): JSONPath[] {
  if (node.type === 'null') return [path];
  if (node.type === 'array') return (node.children ?? []).flatMap((child, i) => unknownFields(child, [...path, i]));
  return (node.children ?? []).flatMap(({ children }) =>
    children?.[1] ? unknownFields(children[1], [...path, children[0]!.value as string]) : [],
  );
}

/** Fields that are null are left out. */
function toValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(toValue);
  if (node.type !== 'object') return node.value as unknown;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children }) => {
      const [key, value] = children ?? [];
      return key && value && value.type !== 'null' ? [[key.value as string, toValue(value)]] : [];
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

function crossFieldIssues({
  service,
  data,
  budgets,
  malformedCalls,
  reinforcement,
  reward,
  plan,
  $preset: preset,
  evaluation,
  checkpoints,
}: Experiment): [JSONPath, string][] {
  const { correct, incorrect } = rewardsOf(reward);
  const { loss } = reinforcement;
  const rules: Rule[] = [
    ...serviceRules(service),
    [
      preset !== undefined && !presets.some(({ name }) => name === preset),
      ['$preset'],
      `names no preset${meantPreset(preset)}: \`retool preset list\` names them`,
    ],
    [
      reinforcement.advantage === 'gae',
      ['reinforcement', 'advantage'],
      'is gae, which needs a critic, and the services train policies alone: choose centred, standardised or leaveOneOut',
    ],
    [
      reinforcement.critic !== undefined && reinforcement.advantage !== 'gae',
      ['reinforcement', 'critic'],
      `is for gae, but advantage is ${reinforcement.advantage}`,
    ],
    [
      reinforcement.groupSize < 2 && reinforcement.advantage !== 'gae',
      ['reinforcement', 'groupSize'],
      'must be at least 2: a trajectory alone has nothing to be compared with',
    ],
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
      malformedCalls.message !== undefined && !['feedBack', 'maskTurn'].includes(malformedCalls.policy),
      ['malformedCalls', 'message'],
      `is told by feedBack and maskTurn, but policy is ${malformedCalls.policy}`,
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
    [
      evaluation.everyCheckpoints > 0 && checkpoints.keepEvery === 0,
      ['evaluation', 'everyCheckpoints'],
      'counts the checkpoints that are kept for good, but checkpoints.keepEvery is 0',
    ],
    [
      evaluation.everyCheckpoints > 0 && data.evaluation === undefined && data.holdOut === undefined,
      ['evaluation', 'everyCheckpoints'],
      'needs problems to evaluate on: data.evaluation or data.holdOut',
    ],
    [
      plan?.cap !== undefined && !plan.prices,
      ['plan', 'cap'],
      'needs plan.prices: without them nothing is known to cost',
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, path, message]) => [path, message]);
}

type Rule = [broken: boolean, path: JSONPath, message: string];

function meantPreset(name = ''): string {
  const meant = nearest(
    name,
    presets.map((preset) => preset.name),
  );
  return meant === undefined ? '' : ` (did you mean "${meant}"?)`;
}

function serviceRules({ kind, url, baseModel, loraRank, context, threads }: Experiment['service']): Rule[] {
  const local = kind === 'local';
  return [
    [
      !local,
      ['service', 'kind'],
      `is ${kind}, to which nothing connects yet: the local trainer alone can be reached. Set it to local, or begin from the reduced form of a preset`,
    ],
    [
      local && baseModel !== undefined,
      ['service', 'baseModel'],
      'is for other services: the local trainer has its own',
    ],
    [
      local && loraRank !== undefined,
      ['service', 'loraRank'],
      'is for other services: the local trainer trains all weights',
    ],
    [!local && url !== undefined, ['service', 'url'], `is the address of a local trainer, but kind is ${kind}`],
    [
      local && url === undefined && context > mostLocalContext,
      ['service', 'context'],
      `must be at most ${mostLocalContext}`,
    ],
    [
      url !== undefined && threads > 0,
      ['service', 'threads'],
      'is for a trainer that is started here, but service.url names one that runs already',
    ],
  ];
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

/** @throws RetoolError `config` unless an experiment may have that name. */
export function requireName(name: string): string {
  const parsed = Experiment.shape.name.safeParse(name);
  if (parsed.success) return name;
  throw new RetoolError('config', `The name "${name}" ${parsed.error.issues[0]!.message}.`);
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
