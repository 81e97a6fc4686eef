import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRun } from '../../../src/journal/readRun';
import { protocolOf } from '../../../src/protocols/protocols';
import { Runs } from '../../../src/run/runs';
import { ProtocolName } from '../../../src/schema/rollout';
import { Trajectory } from '../../../src/schema/trajectory';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { seedSystems } from '../../support/seedSystems';
import { smallExperiment, trainerScript } from '../../support/smallRun';

const spelt = ProtocolName.options.filter((name) => name !== 'compact');

async function trainIn(protocol: string, change: Record<string, unknown> = {}) {
  const experiment = await smallExperiment();
  const written = JSON.parse(await readFile(experiment, 'utf8')) as Record<string, object>;
  const longer = {
    ...written,
    protocol,
    service: { ...written.service, context: 256 },
    budgets: { turns: 3, calls: 2, turnTokens: 128, trajectoryTokens: 256, observationTokens: 24 },
    coldStart: { ...written.coldStart, steps: 120, toolShare: 0.9 },
    reinforcement: { ...written.reinforcement, steps: 3 },
    ...change,
  };
  const path = await smallExperiment(longer);
  const runs = new Runs({ trainerScript, version: 'test' });
  const run = await runs.start({ experiment: path, runs: join(dirname(path), 'runs'), allowUnsafeSandbox: true });
  expect(await run.done).toBe('completed');
  const state = await readRun(run.folder);
  const steps = Array.from({ length: state.step }, (_, i) => i + 1);
  const lines = await Promise.all(
    steps.map((step) => readFile(join(run.folder, 'rollouts', `00000${step}.jsonl`), 'utf8')),
  );
  const trajectories = lines.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => Trajectory.parse(JSON.parse(line))),
  );
  return { state, trajectories, folder: run.folder };
}

describe('a run on the local trainer', () => {
  it.each(spelt)('speaks %s from the cold start on', { timeout: 120_000 }, async (name) => {
    const { state, trajectories } = await trainIn(name);
    expect(state.step).toBe(3);
    const protocol = protocolOf(name, localVocabulary);
    const calls = trajectories.flatMap(({ turns }) => turns.filter(({ result }) => result?.status === 'ok'));
    expect(calls.length).toBeGreaterThan(0);
    for (const { tokens, code, observation, added } of calls) {
      expect(tokens.slice(-protocol.call(code!).length)).toEqual(protocol.call(code!));
      expect(added).toEqual(protocol.continuation(tokens, observation!, 24));
    }
    const points = state.points.filter(({ phase }) => phase === 'reinforcement');
    const values = (metric: string) => points.flatMap(({ metrics }) => metrics[metric] ?? []);
    expect(values('rollout/attempted_calls').every((count) => count > 0)).toBe(true);
    expect(values('rollout/executed_rate').every((rate) => rate > 0 && rate <= 1)).toBe(true);
    expect(values('rollout/end_trained').every((share) => share === 1)).toBe(true);
    expect(values('train/logprob_gap_max').every((gap) => gap < 1e-3)).toBe(true);
  });

  it.each(['feedBack', 'maskTurn', 'penalise'] as const)(
    'answers malformed calls by %s, and ignores calls beyond the budget',
    { timeout: 120_000 },
    async (policy) => {
      const { trajectories } = await trainIn('retool-code', {
        budgets: {
          turns: 4,
          calls: 1,
          turnTokens: 96,
          trajectoryTokens: 256,
          observationTokens: 48,
          beyondCalls: 'continueInText',
        },
        malformedCalls: { policy, retries: 2, penalty: 0.5 },
        // So little imitation that calls go wrong.
        coldStart: {
          demonstrations: 'demonstrations.jsonl',
          steps: 70,
          batchSize: 8,
          toolShare: 1,
          learningRate: 0.01,
        },
      });
      expect(trajectories.some(({ stop }) => stop === 'callLimit')).toBe(false);
      const malformed = trajectories.filter(
        ({ stop, turns }) =>
          stop === 'malformedCall' || turns.some(({ irregular }) => irregular?.includes('malformed')),
      );
      expect(malformed.length).toBeGreaterThan(0);
      const turns = malformed.flatMap((trajectory) => trajectory.turns);
      expect(turns.some(({ masked }) => masked)).toBe(policy === 'maskTurn');
      const penalised = malformed.filter(({ grade }) => grade.parts?.at(-1)?.name === 'malformedCall');
      expect(penalised.length > 0).toBe(policy === 'penalise');
      expect(penalised.every(({ grade }) => grade.reward === -1.5)).toBe(true);
    },
  );

  const systems = [
    ...Object.values(seedSystems),
    { protocol: 'compact', observation: { errors: 'streams', empty: '', keep: 'tail' } },
    { protocol: 'python-result', observation: { errors: 'labelled', characters: 16, keep: 'head' } },
  ] as const;
  it.each(systems)('shows output in $protocol by $observation.errors', { timeout: 120_000 }, async (system) => {
    const { protocol: name, observation } = system;
    const calls = { several: 'first', withAnswer: 'answer', textAfter: 'kept' } as const;
    const { state, trajectories, folder } = await trainIn(name, {
      observation,
      calls,
      malformedCalls: { policy: 'asAnswer' },
      evaluation: { temperature: 0.6, topP: 0.7, topK: 20 },
      coldStart: {
        demonstrations: 'demonstrations.jsonl',
        steps: 120,
        batchSize: 8,
        toolShare: 0.9,
        learningRate: 0.01,
        weightDecay: 0.1,
      },
      reinforcement: { steps: 1, problemsPerStep: 4, groupSize: 4, learningRate: 0.002, weightDecay: 0.01 },
    });
    const protocol = protocolOf(name, localVocabulary, { observation, calls });
    const called = trajectories.flatMap(({ turns }) => turns.filter(({ result }) => result !== undefined));
    const printed = called.filter(({ result }) => result?.status === 'ok');
    expect(printed.length).toBeGreaterThan(0);
    for (const { tokens, result, observation: shown, added } of called) {
      expect(shown).toBe(protocol.observe(result!));
      if (added.length > 0) expect(added).toEqual(protocol.continuation(tokens, shown!, 24));
    }
    const raw = ['streams', 'stderrOnly'].includes(observation.errors!);
    expect(printed.every(({ result, observation: shown }) => (shown === result!.stdout) === raw)).toBe(true);
    expect(trajectories.some(({ stop }) => stop === 'malformedCall')).toBe(false);
    const evaluated = await readFile(join(folder, 'evaluations', 'after.jsonl'), 'utf8');
    expect(JSON.parse(evaluated.trim().split('\n').at(-1)!)).toMatchObject({ temperature: 0.6, top_p: 0.7, top_k: 20 });
    expect(state.points.at(-1)?.metrics).toHaveProperty('rollout/attempted_calls');
  });

  it('refuses a turn that has no room for a call, before anything is spent', async () => {
    const budgets = { turns: 3, calls: 2, turnTokens: 40, trajectoryTokens: 256, observationTokens: 24 };
    await expect(trainIn('qwen3-json', { budgets })).rejects.toThrow(
      /budgets\.turnTokens is 40, but in the protocol qwen3-json the shortest call of the demonstrations takes \d+ tokens/,
    );
  });
});
