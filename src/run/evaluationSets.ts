import { basename, resolve } from 'node:path';
import { openProblems } from '../datasets/problemFile';
import { RetoolError } from '../lib/errors';
import type { ToolProtocol } from '../rl/ports';
import type { Experiment, FrozenExperiment } from '../schema/experiment';
import type { Problem } from '../schema/trajectory';
import { locateFiles } from './hubData';
import { promptLimit, readProblemSets } from './problemSets';

/** The problems of an evaluation. */
export interface EvaluationSet {
  readonly name: string;
  readonly problems: readonly Problem[];
}

/** Name of the problems that a run holds out itself. */
export const heldOutSet = 'held-out';

/**
 * Finds the problems to evaluate on.
 *
 * @param name `held-out`, or a file.
 * @param limit only the first problems.
 * @throws RetoolError `data` naming what is wrong, problems that do not fit with their numbers included.
 */
export async function evaluationSet(
  name: string,
  { experiment, folder, files }: FrozenExperiment,
  protocol: ToolProtocol,
  limit = Number.POSITIVE_INFINITY,
): Promise<EvaluationSet> {
  const set = name === heldOutSet ? await heldOut({ experiment, folder, files }, protocol) : await fromFile(name);
  const problems = set.problems.slice(0, limit);
  requireFit({ ...set, problems }, experiment, protocol);
  return { ...set, problems };
}

async function heldOut(
  { experiment, folder, files }: FrozenExperiment,
  protocol: ToolProtocol,
): Promise<EvaluationSet> {
  const locate = await locateFiles(experiment, folder, {}, files);
  const { evaluation } = await readProblemSets(experiment, locate, protocol);
  if (evaluation.length > 0) return { name: heldOutSet, problems: evaluation };
  throw new RetoolError('data', 'The experiment of this run holds no problems out.', {
    hint: 'Name a set, for example AIME25, or a file of problems.',
  });
}

async function fromFile(path: string): Promise<EvaluationSet> {
  const file = await openProblems(resolve(path));
  const problems: Problem[] = [];
  const ids = new Set<string>();
  for await (const row of file.rows()) {
    if ('fault' in row) throw new RetoolError('data', `${path}, ${file.unit} ${row.number}: ${row.fault}`);
    if (ids.has(row.problem.id)) {
      throw new RetoolError('data', `${path}, ${file.unit} ${row.number}: the id "${row.problem.id}" is there twice.`);
    }
    ids.add(row.problem.id);
    problems.push(row.problem);
  }
  if (problems.length === 0) throw new RetoolError('data', `${path} holds no problem.`);
  return { name: basename(path), problems };
}

/** A part of a set is another set: problems that do not fit end the evaluation before it begins. */
function requireFit({ name, problems }: EvaluationSet, experiment: Experiment, protocol: ToolProtocol): void {
  const limit = promptLimit(experiment);
  const lengths = problems.map((problem) => protocol.prompt(problem).length);
  const over = lengths.filter((length) => length > limit);
  if (over.length === 0) return;
  const longest = Math.max(...over).toLocaleString('en');
  throw new RetoolError(
    'data',
    `${over.length} of ${problems.length} problems of ${name} do not fit this model: their questions take up to ${longest} tokens, and a trajectory has room for ${limit.toLocaleString('en')}.`,
    { hint: 'Take a model with a longer context and budgets.trajectoryTokens, or another set.' },
  );
}
