import { setMaxListeners } from 'node:events';
import { gate } from '../../../src/lib/concurrency';
import { deriveSeed } from '../../../src/lib/seed';
import { collectGroups } from '../../../src/rl/collectGroups';
import type { RewardRule } from '../../../src/rl/ports';
import { Experiment } from '../../../src/schema/experiment';
import { letterProtocol, letters, okResult } from '../../support/scriptedService';
import type { Slots, TracedTrajectory, Wait } from './trace';

/** What the product's loop did with a step of a trace. */
export interface Replay {
  /** In the order in which the loop drew their problems. */
  readonly trajectories: readonly TracedTrajectory[];
  readonly samples: number;
  readonly executions: number;
  /** Most in flight at once. */
  readonly most: Slots;
}

const seed = 1;
const rule: RewardRule = {
  name: 'none',
  grade: () => ({ reward: 0, verdict: 'incorrect', formatted: true, predicted: null, reason: '' }),
};

/**
 * A step of the product: `collectGroups` with its own seeds, protocol and order, against a policy and a sandbox that only
 * wait, each behind the gate that bounds them in a run.
 *
 * @param trajectories of one step: equally many branches of every problem.
 */
export async function productLoop(
  trajectories: readonly TracedTrajectory[],
  slots: Slots,
  wait: Wait,
): Promise<Replay> {
  const step = 1;
  const problems = [...new Set(trajectories.map(({ problem }) => problem))];
  const experiment = Experiment.parse({
    name: 'trace',
    data: { train: 'trace' },
    budgets: { turns: 64, calls: 64, turnTokens: 16, trajectoryTokens: 4096, observationTokens: 16 },
    reinforcement: { steps: 1, problemsPerStep: problems.length, groupSize: trajectories.length / problems.length },
  });
  // The seed of a request is all that it says of its trajectory and turn.
  const turns = new Map<number, TracedTrajectory['turns'][number]>();
  for (const { problem, branch, turns: traced } of trajectories) {
    const path = ['sample', step, String(problem), branch];
    for (const [i, turn] of traced.entries()) {
      turns.set(deriveSeed(seed, ...path, i), turn);
      turns.set(deriveSeed(seed, 'sandbox', ...path, i + 1), turn);
    }
  }
  const { signal } = new AbortController();
  // Every rollout in flight listens.
  setMaxListeners(0, signal);
  const model = new Meter(slots.model, wait);
  const sandbox = new Meter(slots.sandbox, wait);
  const { groups } = await collectGroups(
    problems.map((problem) => ({ id: String(problem), question: 'x', answer: 'A' })),
    { step, seed, from: 0 },
    experiment.reinforcement,
    {
      policy: {
        async sample(request) {
          const turn = turns.get(request.seed)!;
          await model.take(turn.model, signal);
          const tokens = turn.sandbox === null ? letterProtocol.answer('A') : letterProtocol.call('x');
          return { tokens, logprobs: tokens.map(() => -0.5), stop: 'stop' };
        },
        release: async () => {},
      },
      sandbox: {
        async run(_code, seedOfCall) {
          await sandbox.take(turns.get(seedOfCall)!.sandbox!, signal);
          return okResult('');
        },
      },
      protocol: letterProtocol,
      tokenizer: letters,
      rule,
      budgets: experiment.budgets,
      malformedCalls: experiment.malformedCalls,
      sampling: { temperature: 1 },
      clock: () => 0,
    },
    signal,
  );
  const rolled = groups.flatMap((group) => group.trajectories);
  return {
    trajectories: rolled.map(({ problemId, branch }) => {
      const own = trajectories.find((traced) => String(traced.problem) === problemId && traced.branch === branch);
      return own!;
    }),
    samples: model.calls,
    executions: sandbox.calls,
    most: { model: model.most, sandbox: sandbox.most },
  };
}

/** Waits behind a gate, and counts. */
class Meter {
  calls = 0;
  most = 0;
  private inFlight = 0;
  private readonly enter: ReturnType<typeof gate>;
  private readonly wait: Wait;

  constructor(limit: number, wait: Wait) {
    this.enter = gate(limit);
    this.wait = wait;
  }

  take(seconds: number, signal: AbortSignal): Promise<void> {
    return this.enter(signal, async () => {
      this.calls += 1;
      this.inFlight += 1;
      this.most = Math.max(this.most, this.inFlight);
      await this.wait(seconds);
      this.inFlight -= 1;
    });
  }
}
