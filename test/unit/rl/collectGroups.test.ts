import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idealSeconds } from '../../bench/rollout/idealSchedule';
import { productLoop } from '../../bench/rollout/productLoop';
import { readTrace, type TracedTrajectory } from '../../bench/rollout/trace';
import { turnByTurnLoop } from '../../bench/rollout/turnByTurnLoop';

const shared = join(import.meta.dirname, '../../../../shared/data/rollout-trace.jsonl');
const missing = existsSync(shared) ? '' : ' (skipped: ../shared/data is not beside the checkout)';

/** Time that passes when nothing else is left to do, from event to event. */
class EventTime {
  now = 0;
  private readonly waits: { readonly ends: number; readonly wake: () => void }[] = [];

  readonly wait = (seconds: number) =>
    new Promise<void>((wake) => {
      this.waits.push({ ends: this.now + seconds, wake });
    });

  async of<T>(work: Promise<T>): Promise<T> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (this.waits.length === 0) return work;
      const first = this.waits.reduce((least, each) => (each.ends < least.ends ? each : least));
      this.waits.splice(this.waits.indexOf(first), 1);
      this.now = first.ends;
      first.wake();
    }
  }
}

const turn = (model: number, sandbox: number | null = null) => ({ model, sandbox });
const quick: TracedTrajectory = { problem: 0, branch: 1, turns: [turn(1, 1), turn(1, 1), turn(1, 1), turn(1)] };
const slow: TracedTrajectory = { problem: 0, branch: 0, turns: [turn(1, 30), turn(1)] };
const step = [slow, quick, { ...quick, branch: 2 }, { ...quick, branch: 3 }];

async function replay(trajectories: readonly TracedTrajectory[], model: number, sandbox: number) {
  const time = new EventTime();
  const replayed = await time.of(productLoop(trajectories, { model, sandbox }, time.wait));
  return { ...replayed, seconds: time.now };
}

describe('the rollouts of a step', () => {
  it('sample every turn once and run every call once', async () => {
    const { samples, executions, trajectories } = await replay(step, 2, 1);
    expect({ samples, executions }).toEqual({ samples: 14, executions: 10 });
    expect(trajectories).toEqual(step);
  });

  it('fill the slots that there are, and take no more', async () => {
    expect((await replay(step, 64, 8)).most).toEqual({ model: 4, sandbox: 4 });
    expect((await replay(step, 2, 1)).most).toEqual({ model: 2, sandbox: 1 });
  });

  it('wait for no other trajectory: one that is slow holds up itself alone', async () => {
    expect((await replay(step, 64, 8)).seconds).toBe(1 + 30 + 1);
    const time = new EventTime();
    await time.of(turnByTurnLoop(step, { model: 64, sandbox: 8 }, time.wait));
    expect(time.now).toBe(1 + 30 + (1 + 1) + (1 + 1) + 1);
  });

  it.skipIf(missing).each([
    [64, 8, 0.45],
    [16, 2, 0.55],
  ])(
    `on a trace take the slots as first come, first served would: %i and %i${missing}`,
    async (model, sandbox, share) => {
      let [own, peer] = [0, 0];
      for (const trajectories of readTrace(readFileSync(shared, 'utf8'))) {
        const replayed = await replay(trajectories, model, sandbox);
        expect(replayed.samples).toBe(trajectories.reduce((sum, { turns }) => sum + turns.length, 0));
        expect(replayed.seconds).toBeCloseTo(idealSeconds(replayed.trajectories, { model, sandbox }), 6);
        const time = new EventTime();
        await time.of(turnByTurnLoop(trajectories, { model, sandbox }, time.wait));
        own += replayed.seconds;
        peer += time.now;
      }
      expect(own / peer).toBeLessThan(share);
    },
  );
});
