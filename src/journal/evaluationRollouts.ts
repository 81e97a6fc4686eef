import { RetoolError } from '../lib/errors';
import { type EvaluatedGeneration, EvaluatedProblem, EvaluationSummary } from '../schema/evaluation';
import type { Trajectory } from '../schema/trajectory';
import { type RolloutIndex, type RolloutSummary, readIndex, readLine } from './rolloutIndex';

/** Those of the problem of a line, none of the summary; undefined where the line is broken. */
export function trajectoriesOfProblem(line: unknown): Trajectory[] | undefined {
  const { data: problem } = EvaluatedProblem.safeParse(line);
  if (problem) return problem.generations.map((each, sample) => each.trajectory ?? textAlone(problem, each, sample));
  return EvaluationSummary.safeParse(line).success ? [] : undefined;
}

/** What the reference's format carries of a generation: its last text, what was counted, and how it was graded. */
function textAlone(problem: EvaluatedProblem, generation: EvaluatedGeneration, sample: number): Trajectory {
  const { problem_id: problemId, problem: question, ground_truth: gold } = problem;
  const { text, correct, formatted, turns, code_calls: calls, completion_tokens: sampled } = generation;
  return {
    step: 0,
    problemId,
    branch: sample,
    question,
    gold,
    prompt: [],
    turns: [{ tokens: [], logprobs: [], text, added: [], seconds: 0, counts: { sampled, added: 0 } }],
    stop: 'answered',
    grade: {
      reward: Number(correct),
      verdict: correct ? 'correct' : 'incorrect',
      formatted,
      predicted: generation.predicted_answer ?? generation.boxed_answer ?? null,
      reason: 'So the file says.',
    },
    advantage: 0,
    imported: { turns, calls },
  };
}

/**
 * The trajectories of an evaluation, in its order; `offset` and `length` are those of the line of their problem.
 *
 * @throws RetoolError `run` when the evaluation was not written.
 */
export const readEvaluationIndex = (path: string): Promise<RolloutIndex> => readIndex(path, trajectoriesOfProblem);

/** @throws RetoolError `run` when its line is broken. */
export async function readEvaluated(path: string, row: RolloutSummary): Promise<Trajectory> {
  const found = trajectoriesOfProblem(await readLine(path, row))?.find(({ branch }) => branch === row.branch);
  if (!found) throw new RetoolError('run', `The trajectories at byte ${row.offset} of ${path} are broken.`);
  return found;
}
