import { basename, resolve } from 'node:path';
import { Hub } from '../hub/hub';
import { isHubName } from '../hub/hubName';
import { exists } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import type { ToolProtocol } from '../rl/ports';
import type { Experiment, FrozenExperiment } from '../schema/experiment';
import type { Problem } from '../schema/trajectory';
import { keepProblems, namedProblems, whyOther } from './fetchNamedSet';
import { type HubAccess, locateFile, locateFiles } from './hubData';
import {
  longestPrompt,
  type NamedSet,
  recognize,
  recognizedName,
  setCalled,
  setNames,
  setsHint,
  withFigures,
} from './namedSets';
import { promptLimit, readProblemSets } from './problemSets';
import { readProblems } from './readProblems';

/** The problems of an evaluation. */
export interface EvaluationSet {
  readonly name: string;
  readonly problems: readonly Problem[];
  /** What a person should know of them, a sentence each. */
  readonly notices: readonly string[];
}

/** Name of the problems that a run holds out itself. */
export const heldOutSet = 'held-out';

/**
 * Finds the problems to evaluate on.
 *
 * @param name `held-out`, a named set such as `AIME25`, `AIME25=FILE` where it cannot be fetched, a file, or a file of a hub.
 * @param limit only the first problems. Default: all; of `held-out` those that the run itself is measured on.
 * @throws RetoolError `data` naming what is wrong, problems that do not fit with their numbers included; SetNotFetched.
 */
export async function evaluationSet(
  name: string,
  frozen: FrozenExperiment,
  protocol: ToolProtocol,
  limit?: number,
  access: HubAccess = {},
): Promise<EvaluationSet> {
  const published = limit === undefined ? setCalled(name) : undefined;
  // Told before anything is fetched.
  if (published) requireLongestFits(published, frozen.experiment, protocol);
  const set = name === heldOutSet ? await heldOut(frozen, protocol, access) : await setNamed(name, access);
  const own = name === heldOutSet ? frozen.experiment.evaluation.limit : undefined;
  const problems = set.problems.slice(0, limit ?? own);
  requireFit({ ...set, problems }, frozen.experiment, protocol);
  const figures = withFigures(problems);
  const drawn = `${figures} of ${problems.length} problems of ${set.name} have a figure, which the model is shown as Asymptote code.`;
  return { ...set, problems, notices: [...set.notices, ...(figures > 0 ? [drawn] : [])] };
}

async function heldOut(
  { experiment, folder, files }: FrozenExperiment,
  protocol: ToolProtocol,
  access: HubAccess,
): Promise<EvaluationSet> {
  const locate = await locateFiles(experiment, folder, access, files);
  const { evaluation } = await readProblemSets(experiment, locate, protocol);
  if (evaluation.length > 0) return { name: heldOutSet, problems: evaluation, notices: [] };
  throw new RetoolError('data', 'The experiment of this run holds no problems out.', {
    hint: `Name a set (${setNames}), or a file of problems.`,
  });
}

/** The problems of a named set, or of a file. @throws as `evaluationSet`. */
export async function setNamed(name: string, access: HubAccess = {}): Promise<EvaluationSet> {
  const [before, ...behind] = name.split('=') as [string, ...string[]];
  const asked = /[\\/]/.test(before) ? undefined : setCalled(before);
  if (asked && behind.length === 0) {
    const { problems, told } = await namedProblems(asked, access);
    return { name: asked.name, problems: numbered(problems), notices: told === undefined ? [] : [told] };
  }
  const path = asked ? behind.join('=') : name;
  const file = isHubName(path) ? path : resolve(path);
  if (!asked && !isHubName(path) && !/[\\/]|\.(jsonl?|parquet)$/i.test(before) && !(await exists(file))) {
    throw noSuchSet(before);
  }
  const problems = await readProblems(await locateFile(file, access));
  const found = recognize(problems);
  if (asked && found?.set !== asked) {
    throw new RetoolError('data', `${path} is not ${asked.name}: it ${whyOther(asked, problems)}.`, {
      hint: `Name the file by itself, without "${before}=", to evaluate on it as it is.`,
    });
  }
  if (!found) return { name: basename(path), problems, notices: [] };
  const { set } = found;
  if (found.wording === 'other') {
    const told = `${path} asks the problems of ${set.name} in other words: its results stand under a name of their own.`;
    return { name: recognizedName(found), problems: numbered(problems), notices: [told] };
  }
  if (asked) await keepProblems(set, problems, access.hub ?? new Hub());
  return { name: set.name, problems: numbered(problems), notices: [] };
}

/** Says which sets there are to a person who gave what is neither one of them nor a file. */
function noSuchSet(name: string): RetoolError {
  return new RetoolError('data', `There is no set "${name}", and no file of that name.`, {
    hint: `${setsHint(name)}; ${heldOutSet} are the problems of a run itself.`,
  });
}

/** Wherever they come from, problems of a named set have the same ids, from 0. */
const numbered = (problems: readonly Problem[]): Problem[] =>
  problems.map(({ question, answer }, index) => ({ id: String(index), question, answer }));

/** A part of a set is another set: problems that do not fit end the evaluation before it begins. */
function requireFit(
  { name, problems }: Omit<EvaluationSet, 'notices'>,
  experiment: Experiment,
  protocol: ToolProtocol,
) {
  const limit = promptLimit(experiment);
  const lengths = problems.map((problem) => protocol.prompt(problem).length);
  const over = lengths.filter((length) => length > limit).length;
  if (over === 0) return;
  const longest = lengths.reduce((most, length) => Math.max(most, length), 0);
  throw doesNotFit(`${over} of ${problems.length} problems of ${name}`, longest, limit);
}

function requireLongestFits(set: NamedSet, experiment: Experiment, protocol: ToolProtocol) {
  const [longest, limit] = [longestPrompt(set, protocol), promptLimit(experiment)];
  if (longest > limit) throw doesNotFit(`Problems of ${set.name}`, longest, limit);
}

function doesNotFit(what: string, longest: number, limit: number): RetoolError {
  const [takes, room] = [longest, limit].map((value) => value.toLocaleString('en'));
  return new RetoolError(
    'data',
    `${what} do not fit this model: the longest takes ${takes} tokens, and a trajectory of this run (budgets.trajectoryTokens) has room for ${room}.`,
    {
      hint: "Evaluate it on held-out, which it was trained for, or evaluate a model with a longer context: the local trainer's reads a token for each byte.",
    },
  );
}
