import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { isCorrect, isInfrastructure, isLost, promptTokensOf, sampledTokensOf } from '../rl/metrics';
import type { EvaluationMode } from '../schema/evaluation';
import { messagesIn, type Trajectory } from '../schema/trajectory';
import { evaluationEstimates } from './evaluationEstimates';

/** What of a run describes its evaluations. */
export interface EvaluationSetting {
  readonly dataset: string;
  readonly baseModel: string;
  readonly modelPath: string | null;
  readonly temperature: number;
  readonly topP: number;
  readonly topK?: number | undefined;
  readonly samples: number;
  readonly mode?: EvaluationMode;
  /** Of everything besides the model that the result depends on. */
  readonly fingerprint?: string;
  /** Of the clock, per generation: what the next evaluation will take. */
  readonly secondsPerGeneration?: number | undefined;
}

const callsOf = ({ turns }: Trajectory) => turns.filter(({ result }) => result !== undefined).length;

function mean(values: readonly number[]): number {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}

/** What a filter let through of an answer is none, even if a box stands in it. */
const isRight = (trajectory: Trajectory): boolean => isCorrect(trajectory) && !isLost(trajectory);

function generation(trajectory: Trajectory) {
  const { grade, turns } = trajectory;
  return {
    predicted_answer: grade.predicted,
    boxed_answer: grade.predicted,
    correct: isRight(trajectory),
    formatted: grade.formatted,
    code_calls: callsOf(trajectory),
    turns: messagesIn(trajectory),
    completion_tokens: sampledTokensOf(trajectory),
    text: turns.findLast(({ continues }) => !continues)?.text ?? '',
    trajectory,
  };
}

/**
 * Writes an evaluation in the format of the PyTRIO reference: a `problem` line each, a `summary` line last. Each
 * generation also holds its whole `trajectory`, the summary what else is to be said of the problems.
 *
 * @param trajectories sorted by problem, then sample.
 */
export async function writeEvaluation(
  path: string,
  trajectories: readonly Trajectory[],
  setting: EvaluationSetting,
): Promise<void> {
  const lines: string[] = [];
  const counted: Trajectory[][] = [];
  let passed = 0;
  let problems = 0;
  for (let start = 0; start < trajectories.length; ) {
    const first = trajectories[start]!;
    let end = start;
    while (trajectories[end]?.problemId === first.problemId) end++;
    const group = trajectories.slice(start, end);
    const correct = group.filter(isRight).length;
    counted.push(group.filter((trajectory) => !isLost(trajectory)));
    problems += 1;
    if (correct > 0) passed += 1;
    lines.push(
      JSON.stringify({
        type: 'problem',
        problem_id: first.problemId,
        problem: first.question,
        ground_truth: first.gold,
        val_n: setting.samples,
        num_correct: correct,
        pass_at_n: correct > 0,
        generations: group.map(generation),
      }),
    );
    start = end;
    // An editor shares this thread: long files are written in small pieces of work.
    if (problems % 32 === 0) await breathe();
  }
  const summary = {
    type: 'summary',
    dataset: setting.dataset,
    mode: setting.mode === 'text' ? 'text-only' : 'retool',
    base_model: setting.baseModel,
    model_path: setting.modelPath,
    temperature: setting.temperature,
    top_p: setting.topP,
    top_k: setting.topK ?? -1,
    val_n: setting.samples,
    problems,
    generations: trajectories.length,
    ...evaluationEstimates(counted),
    format_rate: mean(trajectories.map(({ grade }) => (grade.formatted ? 1 : 0))),
    mean_code_calls: mean(trajectories.map(callsOf)),
    mean_turns: mean(trajectories.map(messagesIn)),
    correct_generations: trajectories.filter(isRight).length,
    passed_problems: passed,
    infrastructure: trajectories.filter(isInfrastructure).length,
    filtered: trajectories.filter(({ stop }) => stop === 'contentFilter').length,
    mean_completion_tokens: mean(trajectories.map(sampledTokensOf)),
    mean_prompt_tokens: mean(trajectories.map(promptTokensOf)),
    ...(setting.secondsPerGeneration !== undefined && { seconds_per_generation: setting.secondsPerGeneration }),
    ...(setting.fingerprint !== undefined && { fingerprint: setting.fingerprint }),
  };
  lines.push(JSON.stringify(summary));
  try {
    await writeFileAtomic(path, `${lines.join('\n')}\n`);
  } catch (error) {
    throw RetoolError.from('disk', 'The evaluation cannot be written', error);
  }
}
