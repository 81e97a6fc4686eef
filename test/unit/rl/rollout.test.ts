import { describe, expect, it } from 'vitest';
import { callMetrics } from '../../../src/rl/callMetrics';
import type { RewardRule, Stop } from '../../../src/rl/ports';
import { trajectoryDatum } from '../../../src/rl/reinforcement';
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
  const requests: { prompt: readonly number[]; stop: Stop; maxTokens: number; seed: number }[] = [];
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
    budgets: { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 40, observationTokens: 5, beyondCalls: 'end' },
    malformedCalls: { policy: 'end', retries: 1, penalty: 0.1 },
    sampling: { temperature: 1 },
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
      budgets: { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 14, observationTokens: 5, beyondCalls: 'end' },
    });
    expect(requests.map(({ maxTokens }) => maxTokens)).toEqual([10, 14 - 2 - 3 - 3]);
  });

  const budgets = {
    turns: 3,
    calls: 2,
    turnTokens: 10,
    trajectoryTokens: 40,
    observationTokens: 5,
    beyondCalls: 'end',
  } as const;
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

  const malformed: ScriptedTurn = { tokens: [65, 2] };
  const policy = (name: 'feedBack' | 'maskTurn' | 'penalise', retries = 1) => ({
    malformedCalls: { policy: name, retries, penalty: 0.25 },
  });

  it('tells the model what was wrong with its call, and goes on as often as it may', async () => {
    const once = await play([malformed, call('a'), answer('A')], policy('feedBack'));
    expect(once.trajectory.stop).toBe('answered');
    const [told] = once.trajectory.turns;
    expect(told).toMatchObject({ irregular: ['malformed'], observation: 'no call', added: letters.encode('>no ca<') });
    expect(told?.result).toBeUndefined();
    expect(once.requests[1]?.prompt).toEqual([...letters.encode('qx'), 65, 2, ...letters.encode('>no ca<')]);
    expect((await play([malformed, malformed], policy('feedBack'))).trajectory.stop).toBe('malformedCall');
    const limit = await play([malformed, malformed, malformed], policy('feedBack', 9));
    expect(limit.trajectory).toMatchObject({ stop: 'malformedCall' });
    expect(limit.trajectory.turns).toHaveLength(3);
  });

  it('tells the model what it is set to tell, whatever was wrong', async () => {
    const malformedCalls = { policy: 'feedBack', retries: 1, penalty: 0.1, message: 'None' } as const;
    const { trajectory } = await play([malformed, answer('A')], { malformedCalls });
    expect(trajectory.turns[0]).toMatchObject({ observation: 'None', added: letters.encode('>None<') });
    expect(trajectory.stop).toBe('answered');
  });

  it('grades a malformed turn as an answer, and counts it', async () => {
    const malformedCalls = { policy: 'asAnswer', retries: 1, penalty: 0.1 } as const;
    const { trajectory } = await play([malformed], { malformedCalls });
    expect(trajectory).toMatchObject({ stop: 'answered', grade: { predicted: 'A]', reward: -1 } });
    expect(callMetrics([trajectory], [46])).toMatchObject({
      'rollout/attempted_calls': 1,
      'rollout/well_formed_rate': 0,
      'calls/malformed': 1,
    });
  });

  it('leaves a turn that is masked out of training, and only that', async () => {
    const { trajectory } = await play([malformed, answer('A')], policy('maskTurn'));
    expect(trajectory.turns.map(({ masked }) => masked)).toEqual([true, undefined]);
    const datum = trajectoryDatum({ ...trajectory, advantage: 1 });
    expect(datum.targets.filter((_, i) => datum.mask[i])).toEqual(letters.encode('A.'));
  });

  it('takes the penalty off the reward, and says so in its parts', async () => {
    const { trajectory } = await play([malformed], policy('penalise'));
    expect(trajectory).toMatchObject({ stop: 'malformedCall', grade: { reward: -1.25 } });
    expect(trajectory.grade.parts).toEqual([
      { name: 'answer', reward: -1 },
      { name: 'malformedCall', reward: -0.25 },
    ]);
    expect((await play([answer('A')], policy('penalise'))).trajectory.grade.reward).toBe(1);
  });

  it('reads a call beyond the budget as text, and asks for no more calls', async () => {
    const change = { budgets: { ...budgets, calls: 1, beyondCalls: 'continueInText' } } as const;
    const { trajectory, requests } = await play([call('a'), answer('A')], change);
    expect(requests.map(({ stop }) => stop)).toEqual([letterProtocol.stop, letterProtocol.endOfTurn]);
    expect(trajectory).toMatchObject({ stop: 'answered', grade: { verdict: 'correct' } });
    const ignored = await play([call('a'), call('b')], change);
    expect(ignored.trajectory.stop).toBe('answered');
    expect(ignored.trajectory.turns[1]).toMatchObject({ code: 'b', irregular: ['beyondBudget'], added: [] });
    expect(ignored.trajectory.turns[1]?.result).toBeUndefined();
  });

  it('counts what was attempted, well-formed and executed apart', async () => {
    const change = { ...policy('feedBack'), budgets: { ...budgets, calls: 1, turns: 4 } };
    const { trajectory } = await play([malformed, call('a'), call('b')], change);
    expect(trajectory.stop).toBe('callLimit');
    const answered = await play([answer('A')], change);
    expect(callMetrics([trajectory, answered.trajectory], [46])).toEqual({
      'rollout/attempted_calls': 3,
      'rollout/well_formed_rate': 2 / 3,
      'rollout/executed_rate': 1 / 2,
      'rollout/masked_turns': 0,
      'rollout/end_trained': 1,
      'calls/malformed': 1,
    });
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
