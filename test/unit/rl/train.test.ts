import { describe, expect, it } from 'vitest';
import type { RewardRule, Sandbox } from '../../../src/rl/ports';
import { type ResumePoint, train } from '../../../src/rl/train';
import { Experiment } from '../../../src/schema/experiment';
import type { Demonstration, Problem } from '../../../src/schema/trajectory';
import {
  echoSandbox,
  letterProtocol,
  letters,
  MemoryLog,
  okResult,
  ScriptedService,
  scriptedPolicy,
} from '../../support/scriptedService';

const problems: Problem[] = ['a', 'b', 'c', 'd'].map((id) => ({ id, question: id, answer: id }));
const demonstrations: Demonstration[] = problems.map((problem) => ({ ...problem, code: 'x' }));
const experiment = Experiment.parse({
  name: 'test',
  data: { train: 'train.jsonl' },
  budgets: { turns: 3, calls: 2, turnTokens: 10, trajectoryTokens: 40, observationTokens: 5 },
  coldStart: { demonstrations: 'demonstrations.jsonl', steps: 4, batchSize: 2, checkpointEvery: 2 },
  reinforcement: { steps: 3, problemsPerStep: 2, groupSize: 2, minibatches: 1, decayFraction: 0, warmupSteps: 0 },
  checkpoints: { keepLast: 1, keepEvery: 2 },
});

/** Right on even seeds. */
const coin = () =>
  scriptedPolicy(({ seed, prompt }) => ({ tokens: seed % 2 ? letterProtocol.answer('z') : [prompt[1]!, 46] }));
const rule: RewardRule = {
  name: 'equal',
  grade: ({ gold, turns }) => {
    const correct = turns.at(-1)?.text === `${gold}.`;
    const verdict = correct ? 'correct' : 'incorrect';
    return { reward: correct ? 1 : -1, verdict, formatted: true, predicted: null, reason: '' };
  },
};

async function run(options: {
  readonly policy?: ReturnType<typeof coin>;
  readonly service?: ScriptedService;
  readonly resume?: ResumePoint;
  readonly stop?: AbortSignal;
  readonly log?: MemoryLog;
  readonly sandbox?: Sandbox;
  readonly reinforcement?: Record<string, unknown>;
  readonly evaluation?: Record<string, unknown>;
  readonly coldStart?: Record<string, unknown>;
}) {
  const { log = new MemoryLog(), service = new ScriptedService(options.policy ?? coin()) } = options;
  const outcome = await train(
    {
      experiment: Experiment.parse({
        ...experiment,
        evaluation: options.evaluation ?? {},
        coldStart: { ...experiment.coldStart, ...options.coldStart },
        reinforcement: { ...experiment.reinforcement, ...options.reinforcement },
      }),
      problems,
      evaluation: problems,
      demonstrations,
      resume: options.resume,
      stop: options.stop ?? new AbortController().signal,
    },
    {
      service,
      sandbox: options.sandbox ?? echoSandbox,
      protocol: letterProtocol,
      tokenizer: letters,
      rule,
      log,
      clock: () => 0,
      limits: { maxDatums: 100, maxPaddedTokens: 10_000 },
    },
    new AbortController().signal,
  );
  return { outcome, log, service };
}

const metricsOf = (log: MemoryLog) =>
  log.entries.flatMap((entry) => (entry.kind === 'step' && entry.phase === 'reinforcement' ? [entry.metrics] : []));

/** Where a run goes on that was ended after its first step, and what is then left of an undisturbed one's journal. */
function afterFirstStep(whole: MemoryLog): { readonly resume: ResumePoint; readonly rest: MemoryLog['entries'] } {
  const at = whole.entries.findIndex(
    (entry) => entry.kind === 'checkpoint' && entry.phase === 'reinforcement' && entry.step === 1,
  );
  const resume: ResumePoint = {
    phase: 'reinforcement',
    step: 1,
    checkpoint: 'test://step-000001',
    kept: [
      { phase: 'coldStart', step: 4, path: 'test://cold-start-000004' },
      { phase: 'reinforcement', step: 1, path: 'test://step-000001' },
    ],
    evaluated: new Map(
      whole.entries.flatMap((entry) =>
        entry.kind === 'evaluated' && entry.id === 'before' ? [[entry.id, entry.result] as const] : [],
      ),
    ),
    history: metricsOf(whole).slice(0, 1),
  };
  return { resume, rest: whole.entries.slice(at + 1) };
}

describe('train', () => {
  it('imitates, evaluates, reinforces and evaluates again', async () => {
    const { outcome, log, service } = await run({});
    expect(outcome).toBe('completed');
    const story = log.entries.map((entry) => ('step' in entry ? `${entry.kind} ${entry.step}` : entry.kind));
    expect(log.entries.flatMap((entry) => (entry.kind === 'evaluationProgressed' ? entry.done : []))).toEqual([
      1, 2, 3, 1, 2, 3,
    ]);
    expect(story.filter((line) => !/^noticed|^evaluationProgressed/.test(line))).toEqual([
      'step 1',
      'step 2',
      'checkpoint 2',
      'step 3',
      'step 4',
      'checkpoint 4',
      'discarded',
      'evaluationStarted 4',
      'evaluated 4',
      'step 1',
      'checkpoint 1',
      'step 2',
      'checkpoint 2',
      'discarded',
      'step 3',
      'checkpoint 3',
      'evaluationStarted 3',
      'evaluated 3',
    ]);
    expect(service.calls.filter((line) => line.startsWith('load'))).toEqual([
      'load test://cold-start-000004 without optimizer',
    ]);
    expect(service.calls.filter((line) => line.startsWith('discard'))).toEqual([
      'discard test://cold-start-000002',
      'discard test://step-000001',
    ]);
  });

  it('gives each update the mean over its trained tokens', async () => {
    const { service } = await run({});
    const cold = service.batches[0]!;
    const weights = cold.datums.flatMap(({ coefficients }) => coefficients);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 12);
    for (const { datums, loss } of service.batches.filter((batch) => batch.loss.kind === 'ppo')) {
      const tokens = datums.reduce((sum, { mask }) => sum + mask.filter(Boolean).length, 0);
      expect(loss).toMatchObject({ clipLow: 0.8, clipHigh: 1.28 });
      for (const value of datums.flatMap(({ coefficients }) => coefficients).filter(Boolean)) {
        expect(Math.abs(value)).toBeCloseTo(1 / tokens, 12);
      }
    }
  });

  it('writes after a resume what it would have written undisturbed', async () => {
    const whole = (await run({})).log;
    const { resume, rest } = afterFirstStep(whole);
    const { log, service } = await run({ resume });
    expect(service.calls[0]).toBe('load test://step-000001 with optimizer');
    expect(log.entries).toEqual(rest);
    expect(log.steps.get(3)).toEqual(whole.steps.get(3));
  });

  it('lets go after a resume at the end what a crash kept from being discarded', async () => {
    const at = (step: number) => ({ phase: 'reinforcement', step, path: `test://step-00000${step}` }) as const;
    const resume = {
      ...at(3),
      checkpoint: at(3).path,
      kept: [at(1), at(2), at(3)],
      evaluated: new Map(),
      history: [],
    };
    const { log } = await run({ resume });
    const discarded = log.entries.flatMap((entry) => (entry.kind === 'discarded' ? [entry.path] : []));
    expect(discarded).toEqual([at(1).path]);
  });

  it('says once, while it lasts, that steps without a signal make no update, and makes none', async () => {
    const { log, service } = await run({ policy: scriptedPolicy(() => ({ tokens: letterProtocol.answer('z') })) });
    expect(service.batches.some(({ loss }) => loss.kind === 'ppo')).toBe(false);
    const notices = log.entries.flatMap((entry) => (entry.kind === 'noticed' ? [entry] : []));
    const message = 'Rewards are all equal in each of the 2 groups: no update.';
    expect(notices.filter((notice) => notice.message === message).map(({ step, level }) => [step, level])).toEqual([
      [1, 'warning'],
    ]);
    // What only a few steps together show.
    expect(
      notices.filter((notice) => notice.message !== message).map(({ step, message: text }) => [step, text]),
    ).toEqual([
      [3, expect.stringMatching(/^No rollout has called the tool for 3 steps/)],
      [3, expect.stringMatching(/^In 100 % of groups all rewards are equal/)],
    ]);
  });

  it('stops after the step under way, saved', async () => {
    const stop = new AbortController();
    const log = new MemoryLog();
    const append = log.append.bind(log);
    log.append = async (entry) => {
      if (entry.kind === 'step' && entry.phase === 'coldStart' && entry.step === 1) stop.abort();
      return append(entry);
    };
    const { outcome } = await run({ log, stop: stop.signal });
    expect(outcome).toBe('stopped');
    expect(log.kinds()).toEqual(['step', 'checkpoint']);
  });

  it('refuses to train on when trainer and sampler disagree on what was just sampled', async () => {
    const service = new ScriptedService(coin(), (datums) => ({
      logprobs: datums.map(({ logprobs }) => logprobs.map((value) => value - 3)),
      metrics: {},
    }));
    await expect(run({ service })).rejects.toThrow(/disagree by 3.00 nats per token/);
  });

  it('ends the run when code is asked for and none can be run, and trains on nothing of that step', async () => {
    const callers = scriptedPolicy(({ seed, prompt }) => ({
      tokens: seed % 2 ? letterProtocol.call('x') : [prompt[1]!, 46],
    }));
    const service = new ScriptedService(callers);
    const gone = {
      run: async () => ({ ...okResult(''), status: 'infrastructure' as const, stderr: 'Python is gone.' }),
    };
    await expect(run({ service, sandbox: gone })).rejects.toThrow('No code could be run: Python is gone.');
    expect(service.batches.some(({ loss }) => loss.kind === 'ppo')).toBe(false);
  });

  it('ends the run when every rollout of a step failed by infrastructure', async () => {
    const dead = scriptedPolicy(() => new Error('the trainer is gone'));
    await expect(run({ policy: dead })).rejects.toThrow(/Every rollout failed: the trainer is gone/);
  });

  describe('with dynamic sampling', () => {
    /** Only problem `a` can be got right and wrong; `d` by chance of the seed, the others never. */
    const rare = () =>
      scriptedPolicy(({ seed, prompt }) => {
        const id = prompt[1]!;
        return { tokens: (id === 97 || id === 100) && seed % 2 ? [id, 46] : letterProtocol.answer('z') };
      });
    const reinforcement = { groupSize: 4, dynamicSampling: { maxBatches: 3, overSampling: 1.5 } };
    it('replaces groups without a signal by fresh problems, and counts them', async () => {
      const { log } = await run({ policy: rare(), reinforcement });
      for (const [index, metrics] of metricsOf(log).entries()) {
        const trajectories = log.steps.get(index + 1)!;
        const drawn = trajectories.filter(({ branch }) => branch === 0).map(({ problemId }) => problemId);
        expect(new Set(drawn).size).toBe(drawn.length);
        const dropped = ['equal_rewards', 'single', 'no_correct', 'masked', 'surplus'].map(
          (reason) => metrics[`rollout/dropped_${reason}`]!,
        );
        expect(metrics['rollout/trained_groups']! + dropped.reduce((sum, count) => sum + count, 0)).toBe(drawn.length);
        expect(metrics['rollout/generation_batches']).toBeGreaterThanOrEqual(1);
        expect(metrics['rollout/generation_batches']).toBeLessThanOrEqual(3);
      }
      expect(metricsOf(log).some((metrics) => metrics['rollout/generation_batches']! > 1)).toBe(true);
    });

    it('trains on no more groups than a step asks for', async () => {
      const { log } = await run({ reinforcement: { ...reinforcement, groupSize: 8 } });
      for (const metrics of metricsOf(log)) expect(metrics['rollout/trained_groups']).toBeLessThanOrEqual(2);
      expect(metricsOf(log).some((metrics) => metrics['rollout/dropped_surplus']! > 0)).toBe(true);
    });

    it('gives up after the batches that it may ask for, and trains on what there is', async () => {
      const { log } = await run({
        policy: rare(),
        reinforcement: { ...reinforcement, dynamicSampling: { maxBatches: 1 } },
      });
      expect(metricsOf(log).map((metrics) => metrics['rollout/generation_batches'])).toEqual([1, 1, 1]);
    });

    it('goes on after a resume with the problems that it would have drawn undisturbed', async () => {
      const whole = (await run({ policy: rare(), reinforcement })).log;
      const { resume, rest } = afterFirstStep(whole);
      const { log } = await run({ policy: rare(), reinforcement, resume });
      expect(log.entries).toEqual(rest);
      expect(log.steps.get(3)).toEqual(whole.steps.get(3));
    });
  });

  it('never draws a problem twice in a step, though an epoch ends within it', async () => {
    const { log } = await run({ reinforcement: { problemsPerStep: 3 } });
    for (const trajectories of log.steps.values()) {
      const drawn = trajectories.filter(({ branch }) => branch === 0).map(({ problemId }) => problemId);
      expect(drawn).toHaveLength(3);
      expect(new Set(drawn).size).toBe(3);
    }
  });

  it('says how far each problem has come since the evaluation before', async () => {
    const { log } = await run({ evaluation: { samplesPerProblem: 4 } });
    const [before, after] = log.entries.flatMap((entry) => (entry.kind === 'evaluated' ? entry.result : []));
    expect(before).not.toHaveProperty('change');
    expect(before!.scores).toHaveLength(problems.length);
    expect(before!.scores!.reduce((sum, [correct]) => sum + correct, 0)).toBe(before!.correct * before!.samples);
    // The scripted policy never learns, and both evaluations draw the same seeds.
    expect(after!.scores).toEqual(before!.scores);
    expect(after!.change).toMatchObject({ problems: 4, difference: 0, low: 0, high: 0, better: 0, worse: 0 });
  });

  it('gives an evaluation an interval over problems where each is sampled more than once', async () => {
    const results = async (samplesPerProblem: number) =>
      (await run({ evaluation: { samplesPerProblem } })).log.entries.flatMap((entry) =>
        entry.kind === 'evaluated' ? entry.result : [],
      );
    for (const result of await results(1)) expect(result).not.toHaveProperty('interval');
    for (const { interval, correct, samples } of await results(8)) {
      expect(samples).toBe(32);
      expect(interval!.low).toBeLessThanOrEqual(correct);
      expect(interval!.high).toBeGreaterThanOrEqual(correct);
    }
  });

  it('decays weights by what each phase says', async () => {
    const decays = async (options: object) =>
      (await run(options)).service.optimizers.map(({ weightDecay }) => weightDecay);
    expect(new Set(await decays({}))).toEqual(new Set([0]));
    const decayed = await decays({ coldStart: { weightDecay: 0.1 }, reinforcement: { weightDecay: 0.01 } });
    expect(decayed.slice(0, 4)).toEqual([0.1, 0.1, 0.1, 0.1]);
    expect(new Set(decayed.slice(4))).toEqual(new Set([0.01]));
  });

  it('narrows the sampling of evaluations alone', async () => {
    const seen = new Set<string>();
    const policy = scriptedPolicy(({ seed, prompt, temperature, topP, topK }) => {
      seen.add(JSON.stringify({ temperature, topP, topK }));
      return { tokens: seed % 2 ? letterProtocol.answer('z') : [prompt[1]!, 46] };
    });
    await run({ policy, evaluation: { temperature: 0.6, topP: 0.7, topK: 20 } });
    expect([...seen].sort()).toEqual(['{"temperature":0.6,"topP":0.7,"topK":20}', '{"temperature":1}']);
  });
});
