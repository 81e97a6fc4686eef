import { shareInterval } from '../../src/evaluation/shareInterval';
import type { EndedEvaluation } from '../../src/run/runEvaluations';
import type { EvaluationProtocol, EvaluationSubject } from '../../src/schema/evaluation';

interface Asked {
  readonly subject?: EvaluationSubject;
  readonly problems?: number;
  readonly samples?: number;
  readonly temperature?: number;
  readonly settings?: EvaluationProtocol['settings'];
  /** Begins each question: another one makes other problems of the same ids. */
  readonly verb?: string;
  /** Correct samples of a problem, by its index. */
  readonly correct?: (index: number) => number;
}

export const step = (number: number): EvaluationSubject => ({
  kind: 'checkpoint',
  path: `local://${number}`,
  phase: 'reinforcement',
  step: number,
});

/** An evaluation that has ended, as it is read from its files. */
export function endedEvaluation(id: string, asked: Asked = {}): EndedEvaluation {
  const { subject = step(1), samples = 4, temperature = 1, settings = {}, verb = 'Add', correct = () => 1 } = asked;
  const problems = Array.from({ length: asked.problems ?? 30 }, (_, index) => ({
    id: String(index),
    question: `${verb} ${index} and 2.`,
    gold: String(index + 2),
    samples,
    correct: correct(index),
  }));
  const right = problems.reduce((sum, problem) => sum + problem.correct, 0);
  const shares = problems.map((problem) => problem.correct / samples);
  const dataset = { name: 'held-out', problems: problems.length, digest: `${verb}-${problems.length}`.padEnd(64, '0') };
  return {
    id,
    file: `/run/evaluations/${id}.jsonl`,
    subject,
    protocol: { dataset, mode: 'tool', samples, temperature, topP: 1, topK: -1, seed: 1, settings },
    prices: undefined,
    origin: { run: 'first-run', experiment: 'arithmetic' },
    report: {
      problems,
      samples,
      generations: problems.length * samples,
      correct: right,
      passed: problems.filter((problem) => problem.correct > 0).length,
      formatted: 0,
      average: right / (problems.length * samples),
      interval: shareInterval(shares),
      passAtK: new Map([[samples, shares.filter((share) => share > 0).length / shares.length]]),
      majority: 0,
      format: 0,
      codeCalls: 1,
      turns: 2,
      tokens: 10,
      usage: undefined,
      truncated: 0,
      stops: new Map(),
      infrastructure: 0,
      filtered: 0,
      cautions: [],
      summary: undefined,
    },
  };
}
