import { describe, expect, it } from 'vitest';
import type { RewardRule } from '../../../src/rl/ports';
import { type RolloutParts, rollout } from '../../../src/rl/rollout';
import type { Problem } from '../../../src/schema/trajectory';
import {
  echoSandbox,
  letterProtocol,
  letters,
  okResult,
  type ScriptedTurn,
  scriptedPolicy,
} from '../../support/scriptedService';

const problem: Problem = { id: 'p', question: 'x', answer: 'A', kind: 'hard' };
const call = (code: string): ScriptedTurn => ({ tokens: letterProtocol.call(code) });
const answer = (text: string): ScriptedTurn => ({ tokens: letterProtocol.answer(text) });
const rule: RewardRule = {
  name: 'last text',
  grade: ({ gold, turns }) => {
    const predicted = turns.at(-1)?.text.replace('.', '') ?? null;
    const correct = predicted === gold;
    return {
      reward: correct ? 1 : -1,
      verdict: correct ? 'correct' : 'incorrect',
      formatted: true,
      predicted,
      reason: 'compared',
    };
  },
};

async function play(turns: readonly (ScriptedTurn | Error)[], change: Partial<RolloutParts> = {}) {
  const requests: { prompt: readonly number[]; maxTokens: number; seed: number }[] = [];
  const policy = scriptedPolicy((request, index) => {
    requests.push(request);
    return turns[index] ?? new Error('asked once too often');
  });
  const parts: RolloutParts = {
    policy,
    sandbox: echoSandbox,
    protocol: letterProtocol,
    tokenizer: letters,
    rule,
    budgets: { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 40, observationTokens: 5 },
    temperature: 1,
    clock: () => 0,
    ...change,
  };
  const address = { step: 4, branch: 2, seed: 7, path: ['sample', 4, 'p', 2] };
  const trajectory = await rollout(
    problem,
    address,
    parts,
    change.policy ? AbortSignal.abort() : new AbortController().signal,
  );
  return { trajectory, requests };
}

describe('rollout', () => {
  it('shows the model what its code printed and goes on from exactly the sampled tokens', async () => {
    const { trajectory, requests } = await play([call('ab'), answer('A')]);
    const first = letters.encode('qx');
    expect(requests[1]?.prompt).toEqual([...first, ...letterProtocol.call('ab'), ...letters.encode('>AB<')]);
    expect(trajectory).toMatchObject({ step: 4, branch: 2, kind: 'hard', stop: 'answered', prompt: first });
    expect(trajectory.turns[0]).toMatchObject({ code: 'ab', observation: 'AB', added: letters.encode('>AB<') });
    expect(trajectory.grade).toMatchObject({ verdict: 'correct', reward: 1 });
  });

  it('draws a seed of its own for every turn, the same each time', async () => {
    const once = await play([call('a'), answer('A')]);
    const again = await play([call('a'), answer('A')]);
    const seeds = once.requests.map(({ seed }) => seed);
    expect(new Set(seeds).size).toBe(2);
    expect(again.requests.map(({ seed }) => seed)).toEqual(seeds);
  });

  it('never asks for more tokens than the turn and the trajectory have left', async () => {
    const { requests } = await play([call('a'), answer('A')], {
      budgets: { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 14, observationTokens: 5 },
    });
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([10, 14 - 2 - 3 - 3]);
  });

  const budgets = { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 40, observationTokens: 5 };
  const cut: ScriptedTurn = { tokens: [65, 66], stop: 'length' };
  it.each([
    ['answered', [answer('B')], {}],
    ['malformedCall', [{ tokens: [65, 2] }], {}],
    ['turnTokens', [cut], {}],
    ['trajectoryTokens', [cut], { budgets: { ...budgets, trajectoryTokens: 8 } }],
    ['trajectoryTokens', [call('abcd')], { budgets: { ...budgets, trajectoryTokens: 12 } }],
    ['callLimit', [call('a'), call('b'), call('c')], {}],
    ['turnLimit', [call('a'), call('b')], { budgets: { ...budgets, turns: 2 } }],
  ] as const)('ends by %s', async (stop, turns, change) => {
    const { trajectory } = await play(turns, change);
    expect(trajectory.stop).toBe(stop);
    expect(trajectory.failure).toBeUndefined();
  });

  it('keeps a failed sampler, a failed sandbox and a broken log-probability out of the model’s account', async () => {
    const sampler = await play([new Error('connection lost')]);
    expect(sampler.trajectory).toMatchObject({ stop: 'infrastructure', failure: 'connection lost' });
    let tries = 0;
    const broken = {
      run: async () => ({ ...okResult(''), status: 'infrastructure' as const, stderr: `try ${++tries}` }),
    };
    const sandbox = await play([call('a')], { sandbox: broken });
    expect(sandbox.trajectory).toMatchObject({ stop: 'infrastructure', failure: 'try 3' });
    const logprob = await play([{ ...answer('A'), logprobs: [-1, Number.NaN] }]);
    expect(logprob.trajectory).toMatchObject({ stop: 'infrastructure' });
    expect(logprob.trajectory.failure).toMatch(/Turn 1 .*NaN at token 1/);
  });

  it('runs the same code again when the sandbox failed once', async () => {
    let tries = 0;
    const flaky = {
      run: async () => (tries++ === 0 ? { ...okResult(''), status: 'infrastructure' as const } : okResult('fine')),
    };
    const { trajectory } = await play([call('a'), answer('A')], { sandbox: flaky });
    expect(trajectory).toMatchObject({ stop: 'answered' });
  });

  it('rejects when it is aborted', async () => {
    const policy = scriptedPolicy(() => new Error('aborted'));
    await expect(play([], { policy })).rejects.toThrow();
  });
});
