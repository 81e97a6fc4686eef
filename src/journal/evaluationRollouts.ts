import * as z from 'zod';
import { RetoolError } from '../lib/errors';
import { EvaluatedGeneration, EvaluatedProblem } from '../schema/evaluation';
import { Trajectory } from '../schema/trajectory';
import { type RolloutSummary, readIndex, readLine } from './rolloutIndex';

/** What of a line is read here: the trajectories of one problem, else its texts. */
const Line = EvaluatedProblem.pick({ type: true, problem_id: true }).extend({
  problem: z.string().default(''),
  ground_truth: EvaluatedProblem.shape.ground_truth.optional(),
  generations: z.array(z.union([z.object({ trajectory: Trajectory }), EvaluatedGeneration])),
});
type Line = z.infer<typeof Line>;

function trajectoriesOf(line: unknown): Trajectory[] {
  const { data: read } = Line.safeParse(line);
  const hasText = (each: Line['generations'][number]): each is EvaluatedGeneration => each.trajectory === undefined;
  return (
    read?.generations.map((each, sample) => (hasText(each) ? textAlone(read, each, sample) : each.trajectory!)) ?? []
  );
}

/** What the reference's format carries of a generation: its last text, what was counted, and how it was graded. */
function textAlone(line: Line, generation: EvaluatedGeneration, sample: number): Trajectory {
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
export const readEvaluationIndex = (path: string): Promise<RolloutSummary[]> => readIndex(path, trajectoriesOf);

/** @throws RetoolError `run` when its line is broken. */
export async function readEvaluated(path: string, row: RolloutSummary): Promise<Trajectory> {
  const found = trajectoriesOf(await readLine(path, row)).find(({ branch }) => branch === row.branch);
  if (!found) throw new RetoolError('run', `The trajectories at byte ${row.offset} of ${path} are broken.`);
  return found;
}
