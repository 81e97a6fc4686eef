import { dirname } from 'node:path';
import {
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
import { shellQuoted } from '../lib/shellQuoted';
import { readUserText } from '../lib/userFile';
import { Experiment, FrozenExperiment } from '../schema/experiment';
import { brokenRules } from './experimentRules';
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
  /** Nothing here can run it; what it would need can be reckoned all the same. */
  readonly onlyStart?: boolean;
}

export interface ParsedExperiment {
  /** Undefined while there are issues. */
  readonly experiment: Experiment | undefined;
  /** The same where nothing but a start here is in the way. */
  readonly toPlan?: Experiment | undefined;
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
  const crossed = brokenRules(parsed.data).filter(([path]) => !isUnknown(path));
  const issues = [
    ...unknown,
    ...crossed.map(([path, message, onlyStart]) => ({ ...issue(path, message), ...(onlyStart && { onlyStart }) })),
  ];
  const toPlan = issues.every(({ onlyStart }) => onlyStart) ? parsed.data : undefined;
  return { experiment: issues.length === 0 ? parsed.data : undefined, toPlan, issues };
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

/** The experiment that a run has frozen in a file; undefined for any other file. @throws RetoolError where it cannot be read. */
export async function frozenIn(path: string): Promise<FrozenExperiment | undefined> {
  return FrozenExperiment.safeParse(parseJson(await readUserText(path, 'config', experimentHint))).data;
}

const experimentHint = 'Give the path of a *.retool.json file, for example examples/arithmetic.retool.json.';

/**
 * @param purpose what is only planned may be for a service to which nothing here connects.
 * @throws RetoolError `config` with one sentence that names every field that is wrong.
 */
export async function readExperiment(path: string, purpose: 'run' | 'plan' = 'run'): Promise<Experiment> {
  const text = await readUserText(path, 'config', experimentHint);
  const { experiment, toPlan, issues } = parseExperiment(text);
  const found = purpose === 'plan' ? toPlan : experiment;
  if (found) return found;
  if (FrozenExperiment.safeParse(parseJson(text)).success) {
    throw new RetoolError('config', `${path} is what a run has kept of its experiment, not an experiment file.`, {
      hint: `Give the *.retool.json file that it began from; 'retool resume ${shellQuoted(dirname(path))}' goes on with the run.`,
    });
  }
  throw new RetoolError('config', `${path}: ${issues.map((issue) => issueSentence(text, issue)).join('; ')}.`, {
    hint: 'Mend these fields and start again.',
  });
}
