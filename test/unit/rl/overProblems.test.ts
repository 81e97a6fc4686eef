import { describe, expect, it } from 'vitest';
import { evaluationResult } from '../../../src/rl/metrics';
import type { EvaluationResult } from '../../../src/schema/journal';
import type { Problem, Trajectory } from '../../../src/schema/trajectory';

const problems: Problem[] = ['p', 'q', 'r'].map((id) => ({ id, question: id, answer: '1' }));

/** `!` is right, `.` wrong, `x` lost to the sandbox; samples of p, q and r. */
function result(samples: readonly string[], before?: EvaluationResult): EvaluationResult {
  const trajectories = samples.flatMap((letters, i) =>
    Array.from(
      letters,
      (letter, branch): Trajectory => ({
        step: 0,
        problemId: problems[i]!.id,
        branch,
        question: 'q',
        gold: '1',
        prompt: [1],
        turns: [],
        stop: letter === 'x' ? 'infrastructure' : 'answered',
        grade: {
          reward: 0,
          verdict: letter === '!' ? 'correct' : 'incorrect',
          formatted: true,
          predicted: '1',
          reason: '',
        },
        advantage: 0,
      }),
    ),
  );
  return evaluationResult(trajectories, problems, before);
}

describe('an evaluation, problem by problem', () => {
  it('keeps the scores in the order of the set, without what the sandbox lost', () => {
    expect(result(['!.', '!x', 'xx']).scores).toEqual([
      [1, 2],
      [1, 1],
      [0, 0],
    ]);
  });

  it('compares problems that both evaluations have samples of', () => {
    const change = result(['!!', '.x', '..'], result(['..', '!!', 'xx'])).change;
    expect(change).toMatchObject({ problems: 2, difference: 0, better: 1, worse: 1 });
    expect(result(['!!', 'xx', 'xx'], result(['xx', '!!', '!!']))).not.toHaveProperty('change');
  });

  it('has no change where an older journal kept no scores', () => {
    const { scores, ...older } = result(['!!', '..', '!.']);
    expect(scores).toBeDefined();
    expect(result(['!!', '!!', '!!'], older)).not.toHaveProperty('change');
  });
});
