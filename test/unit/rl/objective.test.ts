import { describe, expect, it } from 'vitest';
import { planObjective } from '../../../src/rl/objective';
import type { LossOffers } from '../../../src/rl/ports';
import { Experiment } from '../../../src/schema/experiment';

const local: LossOffers = { losses: ['crossEntropy', 'importanceSampling', 'ppo', 'cispo'], entropy: true };
const planned = (loss: Record<string, unknown>, offers = local) =>
  planObjective(Experiment.parse({ name: 'x', data: { train: 'x' }, reinforcement: { steps: 1, loss } }), offers).loss;

describe('the loss of an experiment', () => {
  it("is the service's own where it has it", () => {
    expect(planned({})).toEqual({ kind: 'ppo', clipLow: 0.8, clipHigh: 1.28 });
    expect(planned({ kind: 'importanceSampling', entropyCoefficient: 0.1 })).toEqual({
      kind: 'importanceSampling',
      entropyCoefficient: 0.1,
    });
  });

  it.each([{ dualClip: 3 }, { kind: 'gspo' }, { kl: { coefficient: 0.1 } }])('is computed here with %j', (loss) => {
    expect(planned(loss)).toBeTypeOf('function');
  });

  it('is computed here where the service has cross-entropy alone', () => {
    expect(planned({ kind: 'cispo' }, { losses: ['crossEntropy'], entropy: true })).toBeTypeOf('function');
  });

  it('is refused, before anything is spent, where it cannot be had', () => {
    expect(() => planned({ kind: 'gspo' }, { losses: ['ppo'], entropy: true })).toThrow(
      'The service has no loss gspo, and none by which it could be computed here.',
    );
    expect(() => planned({ entropyCoefficient: 0.1 }, { ...local, entropy: false })).toThrow(
      'reinforcement.loss.entropyCoefficient is 0.1, but the service has no entropy bonus.',
    );
    expect(() =>
      planned({ kind: 'cispo', entropyCoefficient: 0.1 }, { losses: ['crossEntropy'], entropy: true }),
    ).toThrow('reinforcement.loss.entropyCoefficient is 0.1, but a loss with cispo has none.');
  });
});
