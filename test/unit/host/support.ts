import { createStrings, type Strings } from '../../../src/host/strings';
import { emptyRun } from '../../../src/journal/reduce';
import type { RunState, RunStatus } from '../../../src/schema/runState';
import type { Trajectory, Turn } from '../../../src/schema/trajectory';

/** English, with its placeholders filled. */
export const strings: Strings = createStrings((message, ...args) =>
  message.replace(/\{(\d)\}/g, (whole, i: string) => String(args[Number(i)] ?? whole)),
);

interface RunOptions {
  readonly total: number;
  readonly status?: RunStatus;
  readonly reward?: number;
}

/** A run in its reinforcement. @param seconds of each step that is done. */
export function aRun(seconds: readonly number[], { total, status = 'running', reward }: RunOptions): RunState {
  const points = seconds.map((value, i) => ({
    phase: 'reinforcement' as const,
    step: i + 1,
    time: i * 1000,
    metrics: { 'time/step_seconds': value, ...(reward === undefined ? {} : { 'reward/mean': reward }) },
  }));
  return {
    ...emptyRun('run', '/runs/run'),
    status,
    phase: 'reinforcement',
    plan: {
      coldStart: 0,
      reinforcement: total,
      demonstrationsPerStep: undefined,
      rolloutsPerStep: undefined,
      evaluationRollouts: undefined,
    },
    step: seconds.length,
    points,
  };
}

export const aTurn = (text: string, rest: Partial<Turn> = {}): Turn => ({
  tokens: [1, 2, 3],
  logprobs: [-0.1, -0.2, -0.6],
  text,
  added: [],
  seconds: 0.5,
  ...rest,
});

export const aTrajectory = (turns: Turn[], rest: Partial<Trajectory> = {}): Trajectory => ({
  step: 3,
  problemId: 'p1',
  branch: 0,
  question: 'What is 6 times 7?',
  gold: '42',
  prompt: [1, 2],
  turns,
  stop: 'answered',
  grade: { reward: 1, verdict: 'correct', formatted: true, predicted: '42', reason: 'The two are equal.' },
  advantage: 0.25,
  ...rest,
});
