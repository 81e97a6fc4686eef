import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { EvaluatedGeneration, EvaluatedProblem } from '../schema/evaluation';
import { Trajectory } from '../schema/trajectory';
import { type RolloutIndex, type RolloutSummary, readIndex, readLine } from './rolloutIndex';

/** What of the line of a problem is read here: its trajectories, else its texts. */
const ProblemLine = EvaluatedProblem.pick({ type: true, problem_id: true }).extend({
  problem: z.string().default(''),
  ground_truth: EvaluatedProblem.shape.ground_truth.optional(),
  generations: z.array(z.union([z.object({ trajectory: Trajectory }), EvaluatedGeneration])),
});
type ProblemLine = z.infer<typeof ProblemLine>;

const Line = z.discriminatedUnion('type', [ProblemLine, z.object({ type: z.literal('summary') })]);

const hasText = (each: ProblemLine['generations'][number]): each is EvaluatedGeneration =>
  each.trajectory === undefined;

/** Those of the problem of a line, none of the summary; undefined where the line is broken. */
export function trajectoriesOfProblem(line: unknown): Trajectory[] | undefined {
  const { data } = Line.safeParse(line);
  if (!data) return undefined;
  if (data.type === 'summary') return [];
  return data.generations.map((each, sample) => (hasText(each) ? textAlone(data, each, sample) : each.trajectory!));
}

/** What the reference's format carries of a generation: its last text, what was counted, and how it was graded. */
function textAlone(line: ProblemLine, generation: EvaluatedGeneration, sample: number): Trajectory {
  const { problem_id: problemId, problem: question, ground_truth: gold = '' } = line;
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
