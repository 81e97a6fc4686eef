import { type Behaviour, BehaviourTally } from '../../../src/behaviour/behaviourTally';
import { valuesOf } from '../../../src/behaviour/measures';
import type { ToolStatus, Trajectory, Turn } from '../../../src/schema/trajectory';

export interface PlannedTurn {
  readonly text?: string;
  readonly code?: string;
  /** A call without one did not run. */
  readonly status?: ToolStatus;
  readonly out?: string;
  readonly tokens?: number;
  readonly added?: number;
}

function turnOf({ text, code, status, out = '', tokens = 10, added = 0 }: PlannedTurn): Turn {
  return {
    tokens: Array.from({ length: tokens }, () => 1),
    logprobs: Array.from({ length: tokens }, () => -1),
    text: text ?? (code === undefined ? 'hm' : `<code>${code}</code>`),
    ...(code !== undefined && { code }),
    ...(status !== undefined && {
      result: {
        status,
        stdout: out,
        stderr: status === 'ok' ? '' : 'Traceback\nNameError: x',
        exitCode: 0,
        signal: null,
        seconds: 0,
        queueSeconds: 0,
        cpuSeconds: 0,
        peakMemoryBytes: 0,
        truncated: false,
        level: 'none',
      },
      observation: out,
    }),
    added: Array.from({ length: added }, () => 2),
    seconds: 0,
  };
}

export function trajectoryOf(turns: readonly PlannedTurn[], more: Partial<Trajectory> = {}): Trajectory {
  return {
    step: 1,
    problemId: 'p',
    branch: 0,
    question: 'q',
    gold: '42',
    prompt: [1, 2, 3],
    turns: turns.map(turnOf),
    stop: 'answered',
    grade: { reward: 1, verdict: 'correct', formatted: true, predicted: '42', reason: '' },
    advantage: 0,
    ...more,
  };
}

export const wrong = {
  grade: { reward: -1, verdict: 'incorrect', formatted: true, predicted: '41', reason: '' },
} as const;

export function behaviourOf(...trajectories: readonly Trajectory[]): Behaviour {
  const tally = new BehaviourTally();
  for (const trajectory of trajectories) tally.add(trajectory);
  return tally.result();
}

export const measured = (...trajectories: readonly Trajectory[]) => valuesOf(behaviourOf(...trajectories).all);
