import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../src/lib/seed';
import { sayEnglish } from '../../../src/run/dataReportText';
import { parseExperiment } from '../../../src/run/experimentFile';
import { degenerateChance, expectedSampling, sizeThatHalves } from '../../../src/run/planChances';
import { planExperiment, requireUnderCap } from '../../../src/run/planner';
import { planLines, planProblemText } from '../../../src/run/planReportText';
import { costOf } from '../../../src/run/planUsage';
import { Runs } from '../../../src/run/runs';
import formulas from '../../support/formulas.json' with { type: 'json' };
import { smallExperiment, trainerScript } from '../../support/smallRun';

const runs = () => new Runs({ trainerScript, version: 'test' });
const prices = { prefill: 1.5, sample: 4, train: 5, currency: 'CNY' };

/** An experiment of seconds, its fields changed one level deep. */
async function changed(change: Record<string, object | undefined> = {}): Promise<string> {
  const path = await smallExperiment();
  const experiment = JSON.parse(await readFile(path, 'utf8'));
  for (const [name, value] of Object.entries(change)) {
    experiment[name] = value && { ...experiment[name], ...value };
  }
  await writeFile(path, JSON.stringify(experiment, null, 2));
  return path;
}

const planned = async (change: Record<string, object | undefined> = {}) =>
  (await planExperiment(await changed(change))).plan;

const complaints = async (change: Record<string, object | undefined> = {}) =>
  (await planned(change)).problems.map((problem) => `${problem.level}: ${planProblemText(problem, sayEnglish)}`);

it('shows what is small as more than nothing, and is refused above it', async () => {
  const change = { plan: { prices: { prefill: 1e-4, sample: 1e-4, train: 1e-4, currency: 'CNY' }, cap: 1e-9 } };
  const { experiment, problems, plan } = await planExperiment(await changed(change));
  const lines = planLines({ experiment, problems, plan }, 'x', sayEnglish).join('\n');
  expect(lines).toContain('The cap is 0.000000001 CNY.');
  expect(lines).not.toMatch(/ 0\.00+ CNY/);
  expect(() => requireUnderCap(plan)).toThrow(
    /^The run is planned at 0\.0\d*[1-9]\d* CNY .* above plan\.cap \(0\.000000001 CNY\)\.$/,
  );
});

it('reckons what nothing here can run, and says so; a run of it is refused as ever', async () => {
  const path = await changed({ service: { kind: 'pytrio', baseModel: 'Qwen/Qwen3.5-4B' } });
  const { plan } = await planExperiment(path, { purpose: 'plan' });
  expect(plan.run.typical.trajectories).toBeGreaterThan(0);
  expect(plan.problems.map((problem) => planProblemText(problem, sayEnglish))).toContainEqual(
    expect.stringMatching(
      /^service\.kind is pytrio, to which nothing connects yet: this can be planned and not be started/,
    ),
  );
  await expect(planExperiment(path)).rejects.toThrow(/service\.kind \(line \d+\) is pytrio, to which nothing connects/);
  const broken = await changed({ service: { kind: 'pytrio' }, evaluation: { samplesPerProblem: 0 } });
  await expect(planExperiment(broken, { purpose: 'plan' })).rejects.toThrow(/samplesPerProblem/);
});

it('of a cold start alone speaks of no groups and no steps, and notices that it ends within its warm-up', async () => {
  const change = { reinforcement: { steps: 0 }, coldStart: { steps: 4, warmupSteps: 5 } };
  const { experiment, problems, plan } = await planExperiment(await changed(change));
  const lines = planLines({ experiment, problems, plan }, 'x', sayEnglish);
  expect(lines.filter((line) => /group|A step:/i.test(line))).toEqual([]);
  expect(plan.problems.map((problem) => planProblemText(problem, sayEnglish))).toContain(
    'coldStart.warmupSteps is 5, but there are 4 steps: the learning rate never comes to its peak.',
  );
  expect(await complaints({ coldStart: { steps: 5, warmupSteps: 5 } })).not.toContainEqual(
    expect.stringMatching(/coldStart\.warmupSteps/),
  );
});

describe('the chance that a group teaches nothing', () => {
  it.each(Object.entries(formulas.p_degenerate))('is as worked out by hand: %s', (name, chance) => {
    const [, p, size] = /p=([\d.]+),G=(\d+)/.exec(name)!;
    expect(degenerateChance(Number(p), Number(size))).toBeCloseTo(chance, 5);
  });

  it('is halved by the smallest group that does so', () => {
    const size = sizeThatHalves(0.289, 8)!;
    expect(degenerateChance(0.289, size)).toBeLessThanOrEqual(degenerateChance(0.289, 8) / 2);
    expect(degenerateChance(0.289, size - 1)).toBeGreaterThan(degenerateChance(0.289, 8) / 2);
    expect(sizeThatHalves(0, 8)).toBeUndefined();
  });

  it('tells how many batches dynamic sampling needs, as drawing groups by lot does', () => {
    const settings = { wanted: 32, degenerate: 0.4, overSampling: 1, maxBatches: 1000, available: 10_000 };
    const random = mulberry32(7);
    let [batches, groups] = [0, 0];
    const trials = 2000;
    for (let trial = 0; trial < trials; trial++) {
      for (let missing = 32; missing > 0; batches++) {
        groups += missing;
        missing -= Array.from({ length: missing }, random).filter((draw) => draw >= 0.4).length;
      }
    }
    const expected = expectedSampling(settings);
    expect(Math.abs(expected.batches - batches / trials)).toBeLessThan(1);
    expect(expected.groups / (groups / trials)).toBeCloseTo(1, 1);
    expect(expectedSampling({ ...settings, available: 40 })).toMatchObject({ groups: 40, trained: 24 });
    expect(expectedSampling({ ...settings, maxBatches: 1 })).toMatchObject({ groups: 32, batches: 1 });
  });
});

describe('money', () => {
  // PyTRIO's own bill for 200 steps of 64 trajectories. Its prices are not published: these two solve both of its bills,
  // sampling and training taken to cost the same.
  const full = { prefill: 48.67e6, cachedPrefill: 0, sampled: 15.84e6, trained: 15.97e6 };
  const trial = { prefill: 4.34e6, cachedPrefill: 0, sampled: 1.77e6, trained: 1.66e6 };
  const solved = (() => {
    const [a, b, c, d] = [48.67, 15.84 + 15.97, 4.34, 1.77 + 1.66];
    const of = (x: number, y: number) => (x * d - y * b) / (a * d - b * c);
    const prefill = of(224.44, 22.89);
    const other = (224.44 - a * prefill) / b;
    return { prefill, sample: other, train: other, currency: 'CNY' };
  })();

  it('comes to the bills that PyTRIO publishes, per step and per trajectory', () => {
    expect(solved.prefill).toBeGreaterThan(0);
    expect(costOf(full, solved)).toBeCloseTo(224.44, 6);
    expect(costOf(trial, solved)).toBeCloseTo(22.89, 6);
    expect(costOf(full, solved) / 200).toBeCloseTo(formulas.cost.per_step, 6);
    expect(costOf(full, solved) / 200 / 64).toBeCloseTo(formulas.cost.per_traj, 8);
    expect(costOf(trial, solved) / 20).toBeCloseTo(formulas.cost.trial_per_step, 6);
    expect(full.trained / 200).toBe(formulas.cost.train_tokens_per_step);
    expect(full.prefill / full.trained).toBeCloseTo(formulas.cost.prefill_over_train, 6);
  });

  it('takes cached tokens at their own price, or at that of others where they have none', () => {
    const usage = { prefill: 1e6, cachedPrefill: 2e6, sampled: 0, trained: 0 };
    expect(costOf(usage, prices)).toBe(4.5);
    expect(costOf(usage, { ...prices, cachedPrefill: 0.1 })).toBe(1.7);
  });

  it('of the whole run is that of its steps, evaluations and cold start', async () => {
    const { money, run, step, coldStart, evaluation } = await planned({ plan: { prices } });
    const parts = [...Array.from({ length: 4 }, () => step), coldStart, evaluation];
    for (const kind of ['typical', 'most'] as const) {
      expect(money!.run[kind]).toBeCloseTo(costOf(run[kind], prices), 9);
      expect(money!.run[kind]).toBeCloseTo(
        parts.reduce((sum, part) => sum + costOf(part[kind], prices), 0),
        9,
      );
    }
    expect(money!.run.most).toBeGreaterThan(money!.run.typical);
  });
});

describe('a plan', () => {
  it('counts what a step comes to', async () => {
    const { step, updates, basis, evaluation } = await planned({
      plan: { expectedAccuracy: 0.5, responseTokens: 20, callsPerTrajectory: 1 },
    });
    expect(basis).toMatchObject({ accuracy: { value: 0.5, from: 'plan' }, response: { from: 'plan' } });
    const prompt = basis.prompt.mean;
    const added = basis.added.value;
    const degenerate = degenerateChance(0.5, 4);
    expect(step.typical).toMatchObject({ trajectories: 16, modelCalls: 32, toolCalls: 16, sampled: 320 });
    // Each turn is sent all that came before: the second one the prompt, half of what is sampled, and the output.
    expect(step.typical.prefill + step.typical.cachedPrefill).toBeCloseTo(16 * (2 * prompt + 10 + added), 6);
    expect(step.typical.prefill).toBeCloseTo(4 * prompt + 16 * added, 6);
    expect(step.typical.trained).toBeCloseTo(16 * (1 - degenerate) * (prompt + 20 + added), 6);
    expect(step.most).toMatchObject({ trajectories: 16, modelCalls: 48, toolCalls: 32, cachedPrefill: 0 });
    expect(evaluation.typical.trajectories).toBe(8);
    expect(updates).toBe(60 + 4 * 2);
  });

  it('says which figures are assumptions, and takes those of demonstrations where the policy imitates some', async () => {
    const imitating = await planned();
    expect(imitating.basis).toMatchObject({
      accuracy: { value: 0.3, from: 'assumption' },
      calls: { value: 0.6, from: 'demonstrations' },
      response: { from: 'demonstrations' },
      run: undefined,
    });
    const alone = await planned({ coldStart: undefined });
    expect(alone.basis).toMatchObject({
      calls: { value: 1, from: 'assumption' },
      response: { value: 16, from: 'assumption' },
    });
    expect(alone.coldStart.most.trained).toBe(0);
  });

  it('counts further passes of a loss that is computed here', async () => {
    const trained = async (loss: object) => (await planned({ reinforcement: { loss } })).step.most.trained;
    const once = await trained({});
    expect(await trained({ dualClip: 3 })).toBe(2 * once);
    expect(await trained({ kl: { coefficient: 0.1 } })).toBe(3 * once);
    expect(await trained({ importanceCorrection: {} })).toBe(2 * once);
  });

  it('is not exceeded by a run, whose figures the next plan takes', async () => {
    const path = await changed();
    const { plan } = await planExperiment(path);
    const run = await runs().start({
      experiment: path,
      runs: join(dirname(path), '.retool', 'runs'),
      allowUnsafeSandbox: true,
    });
    expect(await run.done).toBe('completed');
    const lines = (await readFile(join(run.folder, 'journal.jsonl'), 'utf8')).trim().split('\n');
    const steps = lines
      .map((line) => JSON.parse(line))
      .filter(({ kind, phase }) => kind === 'step' && phase === 'reinforcement');
    expect(steps).toHaveLength(4);
    for (const { metrics } of steps) {
      expect(metrics['rollout/sampled_tokens']).toBeLessThanOrEqual(plan.step.most.sampled);
      expect(metrics['rollout/tokens']).toBeLessThanOrEqual(plan.step.most.trained);
      expect(metrics['sandbox/calls']).toBeLessThanOrEqual(plan.step.most.toolCalls);
      expect(metrics['rollout/turns'] * 16).toBeLessThanOrEqual(plan.step.most.modelCalls);
    }
    const next = (await planExperiment(path)).plan;
    const average = (name: string) => steps.reduce((sum, { metrics }) => sum + metrics[name], 0) / steps.length;
    expect(next.basis).toMatchObject({ run: run.id, accuracy: { from: 'run' }, response: { from: 'run' } });
    expect(next.basis.accuracy.value).toBeCloseTo(average('reward/correct'), 9);
    expect(next.step.typical.sampled).toBeCloseTo(average('rollout/sampled_tokens'), 6);
    expect(next.group.measured).toBeCloseTo(average('rollout/zero_variance_groups'), 9);
    expect(next.seconds!.run).toBeGreaterThan(next.seconds!.step);
    const text = planLines(await planExperiment(path), 'x', sayEnglish).join('\n');
    expect(text).toContain(`share of right answers: mean of the run ${run.id}`);
    expect(text).toMatch(/Time per step: .*, by the pace of the run/);
    // Another experiment of the folder has run nothing.
    await writeFile(path, (await readFile(path, 'utf8')).replace('"small"', '"other"'));
    expect((await planExperiment(path)).plan.basis.run).toBeUndefined();
  }, 120_000);
});

describe('a cap', () => {
  it('refuses a run that is planned above it before there is a folder, and names both figures', async () => {
    const path = await changed({ plan: { prices, cap: 0.01 } });
    const started = runs().start({ experiment: path, runs: join(dirname(path), 'runs'), allowUnsafeSandbox: true });
    await expect(started).rejects.toThrow(
      /^The run is planned at \d+\.\d{2,} CNY \(at most \d+\.\d{2,}\), above plan\.cap \(0\.01 CNY\)\.$/,
    );
    expect(await complaints({ plan: { prices, cap: 0.01 } })).toContainEqual(
      expect.stringMatching(/^error: plan\.cap is 0\.01 CNY, but the plan comes to \d/),
    );
    await expect(readFile(join(dirname(path), 'runs'))).rejects.toThrow(/ENOENT/);
  });

  it('that only the worst case exceeds is told', async () => {
    const { money } = await planned({ plan: { prices } });
    const cap = (money!.run.typical + money!.run.most) / 2;
    expect(await complaints({ plan: { prices, cap } })).toEqual([expect.stringMatching(/^info: plan\.cap is/)]);
    expect(await complaints({ plan: { prices, cap: money!.run.most + 0.01 } })).toEqual([]);
  });

  it('needs prices', () => {
    const text = JSON.stringify({ name: 'a', data: { train: 't' }, reinforcement: { steps: 1 }, plan: { cap: 3 } });
    expect(parseExperiment(text).issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      'plan.cap needs plan.prices: without them nothing is known to cost',
    ]);
  });
});

describe('settings that contradict each other', () => {
  it.each(['arithmetic', 'when-to-use-the-tool'])('are none in the example %s', async (name) => {
    const { plan } = await planExperiment(resolve('examples', `${name}.retool.json`));
    expect(plan.problems).toEqual([]);
  });

  it('are none in a small experiment', async () => {
    expect(await complaints()).toEqual([]);
  });

  const long = { response: { responseTokens: 60, callsPerTrajectory: 1 } };
  it.each<[string, Record<string, object | undefined>, RegExp]>([
    [
      'typical trajectories that do not fit',
      { plan: long.response },
      /^warning: budgets\.trajectoryTokens: A typical trajectory takes \d+ tokens \(prompt 9, 60 sampled, \d+ added by calls\), but may have 64: it would be cut\.$/,
    ],
    [
      'budgets that come to more than a trajectory',
      { coldStart: undefined },
      /^info: budgets\.trajectoryTokens: 3 turns of 16 tokens, 2 outputs of \d+ and a prompt of 9 come to \d+ tokens, but a trajectory may have 64: one that uses up its budgets is cut\.$/,
    ],
    [
      'turns that leave no room for an answer',
      { coldStart: undefined, budgets: { turnTokens: 40 } },
      /^warning: budgets\.turnTokens: 8 of 8 problems leave no room for a call of 40 tokens, its output of \d+ and an answer of \d+ in the 64 tokens of a trajectory\.$/,
    ],
    [
      'more calls than can be answered',
      { budgets: { calls: 3 } },
      /^warning: budgets\.calls is 3, but with 3 turns only 2 can be run: a call in the last turn is not\.$/,
    ],
    [
      'minibatches that do not divide',
      { reinforcement: { minibatches: 3 } },
      /^info: reinforcement\.minibatches is 3, which does not divide 4 groups/,
    ],
    [
      'groups that are mostly alike',
      { plan: { expectedAccuracy: 0.05 } },
      /^warning: reinforcement\.groupSize: 81\.5 % of groups of 4 .* at an accuracy of 0\.05, and teach nothing; \d+ would halve that\.$/,
    ],
    [
      'groups that are alike whatever their size',
      { plan: { expectedAccuracy: 0 } },
      /^warning: reinforcement\.groupSize: 100\.0 % .* no size of group up to 1,024 would halve that\.$/,
    ],
    [
      'dynamic sampling that needs more batches than it has',
      { plan: { expectedAccuracy: 0.05 }, reinforcement: { dynamicSampling: { maxBatches: 3 } } },
      /^warning: reinforcement\.dynamicSampling\.maxBatches is 3, but \d+ batches are needed on average to replace the 81\.5 % .* train on 2 of 4 groups\.$/,
    ],
    [
      'dynamic sampling that needs more problems than there are',
      { plan: { expectedAccuracy: 0.05 }, reinforcement: { dynamicSampling: {} } },
      /^warning: reinforcement\.dynamicSampling: A step would need 22 different problems to find 4 groups with a signal, but there are 8\.$/,
    ],
    [
      'evaluations longer than the training',
      { evaluation: { samplesPerProblem: 16 } },
      /^info: evaluation\.samplesPerProblem: The evaluations take 128 trajectories, all steps of the training 64\.$/,
    ],
    [
      'samples that are all the same',
      { evaluation: { samplesPerProblem: 2, temperature: 0 } },
      /^info: evaluation\.samplesPerProblem is 2, but at temperature 0 all samples of a problem are the same: one tells as much\.$/,
    ],
    [
      'checkpoints that keep nothing',
      { checkpoints: { keepEvery: 0 } },
      /^info: checkpoints\.keepEvery is 0: of 4 steps only the last 2 keep their checkpoint\.$/,
    ],
    [
      'a buffer beyond its limit',
      { reward: { adjustments: [{ kind: 'overlong', limit: 20, buffer: 30 }] } },
      /^warning: reward\.adjustments\.0\.buffer is 30, more than the limit of 20: every answer is penalised/,
    ],
    [
      'a penalty that is never due',
      { reward: { adjustments: [{ kind: 'overlong', limit: 100, buffer: 10 }] } },
      /^info: reward\.adjustments\.0\.buffer: The penalty of long answers begins at 90 tokens, but a trajectory may have 64/,
    ],
    [
      'a window longer than a turn',
      { reward: { rule: 'box-300-math' } },
      /^info: reward\.rule looks for the box in the last 300 characters, but a turn has at most 16: all of it is looked at\.$/,
    ],
    [
      'a plan of more calls and tokens than the budgets allow',
      { plan: { callsPerTrajectory: 3, responseTokens: 50 } },
      /^warning: plan\.callsPerTrajectory is 3, but the budgets let 2 be run\.$/,
    ],
  ])('%s', async (_, change, expected) => {
    expect(await complaints(change)).toContainEqual(expect.stringMatching(expected));
  });
});
