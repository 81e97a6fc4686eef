import { describe, expect, it } from 'vitest';
import { toDatum } from '../../../src/rl/datum';

const context = (...tokens: number[]) => ({ tokens, logprobs: undefined });

describe('toDatum', () => {
  it('trains on what the policy wrote and not on what the interpreter printed', () => {
    //            prompt   code          closing, output  answer
    const datum = toDatum(
      [
        context(1, 2, 3),
        { tokens: [10, 11, 99], logprobs: [-0.1, -0.2, -0.3] },
        context(98, 50, 51, 60),
        { tokens: [12, 99], logprobs: [-0.4, -0.5] },
      ],
      1.5,
    );
    expect(datum).toEqual({
      tokens: [1, 2, 3, 10, 11, 99, 98, 50, 51, 60, 12],
      targets: [2, 3, 10, 11, 99, 98, 50, 51, 60, 12, 99],
      mask: [0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1],
      logprobs: [0, 0, -0.1, -0.2, -0.3, 0, 0, 0, 0, -0.4, -0.5],
      coefficients: [0, 0, 1.5, 1.5, 1.5, 0, 0, 0, 0, 1.5, 1.5],
    });
  });

  it('never trains on a closing token that the sampler left out', () => {
    const datum = toDatum([context(1), { tokens: [10, 11], logprobs: [-1, -1] }, context(99, 98)], 1);
    expect(datum.mask).toEqual([1, 1, 0, 0]);
  });

  it.each([
    [[-0.2, Number.NaN, -1], 'Span'],
    [[-0.2, 0.3, -1], '0.3'],
    [[-0.2, Number.NEGATIVE_INFINITY, -1], '-Infinity'],
  ])('refuses the log-probabilities %j', (logprobs) => {
    expect(() => toDatum([context(1), { tokens: [2, 3, 4], logprobs }], 1)).toThrow(/span 1 .* at token 1/);
  });

  it('refuses a turn whose log-probabilities are missing', () => {
    expect(() => toDatum([{ tokens: [10, 11], logprobs: [-0.1] }], 1)).toThrow('2 tokens but 1 log-prob');
  });
});
