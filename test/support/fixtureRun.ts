import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JournalWriter } from '../../src/journal/journalFile';
import { writeRollouts } from '../../src/journal/rolloutFile';
import { createRunFolder, evaluationFile, rolloutFile } from '../../src/journal/runFolder';
import { mulberry32 } from '../../src/lib/seed';
import { writeEvaluation } from '../../src/run/evaluationFile';
import { Experiment } from '../../src/schema/experiment';
import type { EvaluationResult, JournalEntry, Metrics } from '../../src/schema/journal';
import type { Trajectory, Turn } from '../../src/schema/trajectory';

export interface FixtureOptions {
  readonly name?: string;
  /** Milliseconds since the epoch. */
  readonly start?: number;
  readonly coldStartSteps?: number;
  readonly steps?: number;
  /** Steps done; all when left out. */
  readonly done?: number;
  /** Rollouts done of the evaluation after, which is then left under way. */
  readonly evaluated?: number;
  /** Steps that have trajectories on disk, counted from the newest. */
  readonly stepsWithRollouts?: number;
  readonly end?: Extract<JournalEntry, { kind: 'ended' }>;
  readonly seed?: number;
}

const secondsPerStep = 4;

/** A run as a trainer would have left it: a journal and trajectories with plausible, invented numbers. */
export class FixtureRun {
  readonly folder: string;
  private readonly writer: JournalWriter;
  private readonly random: () => number;
  private readonly clock: { now: number };
  private readonly steps: number;

  private constructor(folder: string, writer: JournalWriter, clock: { now: number }, options: FixtureOptions) {
    this.folder = folder;
    this.writer = writer;
    this.clock = clock;
    this.random = mulberry32(options.seed ?? 7);
    this.steps = options.steps ?? 60;
  }

  /** @param runs folder of runs, made when it is missing. */
  static async write(runs: string, options: FixtureOptions = {}): Promise<FixtureRun> {
    const { name = 'arithmetic', coldStartSteps = 40, steps = 60, done = steps, stepsWithRollouts = 3, end } = options;
    const clock = { now: options.start ?? Date.now() - (coldStartSteps + done) * secondsPerStep * 1000 };
    await mkdir(runs, { recursive: true });
    const experiment = Experiment.parse({ name, data: { train: 'train.jsonl' }, reinforcement: { steps } });
    const folder = await createRunFolder(runs, { experiment, folder: runs, files: {} }, new Date(clock.now));
    const writer = await JournalWriter.open(join(folder, 'journal.jsonl'), () => new Date(clock.now));
    const run = new FixtureRun(folder, writer, clock, options);
    await run.append(started(name, coldStartSteps, steps));
    for (let step = 1; step <= coldStartSteps; step++) await run.coldStep(step, coldStartSteps);
    await run.append({
      kind: 'evaluationStarted',
      id: 'before',
      phase: 'coldStart',
      step: coldStartSteps,
      samples: 128,
    });
    const trajectories = run.rollouts(coldStartSteps, 0).filter(({ branch }) => branch === 0);
    const sampling = { temperature: 1, topP: 1, samples: 1 };
    const setting = { dataset: 'evaluation.jsonl', baseModel: 'local', modelPath: null, ...sampling };
    await writeEvaluation(evaluationFile(folder, 'before'), trajectories, setting);
    await run.append({ kind: 'evaluated', id: 'before', phase: 'coldStart', step: coldStartSteps, result: before });
    for (let step = 1; step <= done; step++) await run.step(step, step > done - stepsWithRollouts);
    if (options.evaluated !== undefined) {
      const samples = 1024;
      await run.append({ kind: 'evaluationStarted', id: 'after', phase: 'reinforcement', step: steps, samples });
      clock.now += 9000;
      await run.append({ kind: 'evaluationProgressed', id: 'after', done: options.evaluated });
    } else if (done === steps) {
      await run.append({ kind: 'evaluated', id: 'after', phase: 'reinforcement', step: steps, result: after });
    }
    if (end) await run.append(end);
    return run;
  }

  async append(entry: JournalEntry): Promise<void> {
    await this.writer.append(entry);
  }

  async close(): Promise<void> {
    await this.writer.close();
  }

  /** One more step of reinforcement. */
  async step(step: number, withRollouts = true): Promise<void> {
    this.clock.now += secondsPerStep * 1000;
    const share = step / this.steps;
    if (withRollouts) await writeRollouts(rolloutFile(this.folder, step), this.rollouts(step, share));
    await this.append({ kind: 'step', phase: 'reinforcement', step, metrics: this.metrics(share) });
    if (step % 20 === 0) {
      await this.append({ kind: 'checkpoint', phase: 'reinforcement', step, path: `local://reinforcement-${step}` });
    }
    if (step === 34) {
      const message = 'Rewards all equal in 9 of 32 groups: they teach nothing.';
      await this.append({ kind: 'noticed', phase: 'reinforcement', step, level: 'warning', message });
    }
  }

  private async coldStep(step: number, of: number): Promise<void> {
    this.clock.now += 300;
    const share = step / of;
    const metrics = {
      'train/loss': 3.4 * Math.exp(-3.2 * share) + 0.28 + 0.08 * this.noise(),
      'train/gradient_norm': 0.9 - 0.5 * share + 0.1 * this.noise(),
      'train/learning_rate': 5e-3 * Math.min(1, step / 20) * (share > 0.7 ? 1 - (share - 0.7) * 3 : 1),
      'train/tokens': 2100 + 60 * this.noise(),
      'time/step_seconds': 0.3 + 0.03 * this.noise(),
    };
    await this.append({ kind: 'step', phase: 'coldStart', step, metrics });
    if (step === of) await this.append({ kind: 'checkpoint', phase: 'coldStart', step, path: 'local://cold-start' });
  }

  private noise(): number {
    return this.random() + this.random() - 1;
  }

  private metrics(share: number): Metrics {
    const rise = 1 - Math.exp(-3 * share);
    const correct = clamp(0.24 + 0.5 * rise + 0.09 * this.noise());
    const sample = 2.1 + 0.5 * rise + 0.3 * this.noise();
    return {
      'reward/mean': 2 * correct - 1,
      'reward/correct': correct,
      'reward/format': clamp(0.7 + 0.27 * rise + 0.04 * this.noise()),
      'reward/correct/easy': clamp(0.46 + 0.42 * rise + 0.08 * this.noise()),
      'reward/correct/hard': clamp(0.06 + 0.5 * rise + 0.1 * this.noise()),
      'rollout/tool_rate': clamp(0.45 + 0.2 * rise + 0.04 * this.noise()),
      'rollout/tool_rate/easy': clamp(0.45 - 0.3 * rise + 0.05 * this.noise()),
      'rollout/tool_rate/hard': clamp(0.46 + 0.5 * rise + 0.05 * this.noise()),
      'rollout/code_calls': 0.45 + 0.2 * rise + 0.05 * this.noise(),
      'rollout/turns': 1.45 + 0.2 * rise + 0.05 * this.noise(),
      'rollout/trajectory_tokens': 48 + 6 * rise + 2 * this.noise(),
      'rollout/zero_variance_groups': clamp(0.2 + 0.25 * rise + 0.06 * this.noise()),
      'rollout/infrastructure': 0,
      'sandbox/success_rate': clamp(0.72 + 0.22 * rise + 0.04 * this.noise()),
      'sandbox/error_rate': clamp(0.26 - 0.22 * rise + 0.04 * this.noise()),
      'sandbox/timeout_rate': clamp(0.02 + 0.02 * this.noise()),
      'sandbox/run_seconds': 0.03 + 0.01 * this.noise(),
      'sandbox/queue_seconds': 0.2 + 0.1 * this.noise(),
      'train/loss': -0.01 * this.noise(),
      'train/entropy': 0.62 - 0.35 * rise + 0.03 * this.noise(),
      'train/clip_fraction': clamp(0.004 + 0.012 * rise + 0.004 * this.noise()),
      'train/gradient_norm': 0.4 + 0.2 * this.noise(),
      'train/logprob_gap_max': 2e-6 + 1e-6 * this.noise(),
      'train/learning_rate': 6e-4 * (1 - 0.7 * share),
      'train/tokens': 9200 + 300 * this.noise(),
      'time/step_seconds': sample + 1.3,
      'time/sample_seconds': sample,
      'time/train_seconds': 1.05 + 0.1 * this.noise(),
      'perf/tokens_per_second': 4800 + 300 * this.noise(),
    };
  }

  private rollouts(step: number, share: number): Trajectory[] {
    return Array.from({ length: 8 }, (_, problem) => problem).flatMap((problem) => {
      const [a, b] = [120 + 37 * problem, 7 + 3 * problem];
      const chance = problem === 0 ? 1 : problem === 7 ? 0 : 0.3 + 0.6 * share;
      const right = Array.from({ length: 8 }, () => this.random() < chance);
      const mean = right.filter(Boolean).length / 4 - 1;
      return right.map((correct, branch) =>
        aTrajectory(step, problem, branch, a, b, correct, (correct ? 1 : -1) - mean),
      );
    });
  }
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value));

const started = (name: string, coldStartSteps: number, reinforcementSteps: number): JournalEntry => ({
  kind: 'started',
  name,
  seed: 1,
  version: '0.1.0',
  coldStartSteps,
  reinforcementSteps,
  demonstrationsPerStep: 32,
  rolloutsPerStep: 64,
  evaluationRollouts: 128,
  problems: { train: 512, evaluation: 128, leftOut: 0 },
  service: { kind: 'local', parameters: 118_000 },
  python: { path: '/usr/bin/python3', version: '3.11.2', level: 'namespaces' },
});

const before: EvaluationResult = {
  problems: 128,
  samples: 128,
  correct: 0.25,
  tool: 0.45,
  format: 0.72,
  correctWithTool: 0.41,
  infrastructure: 0,
  byKind: { easy: { samples: 64, correct: 0.44, tool: 0.45 }, hard: { samples: 64, correct: 0.06, tool: 0.45 } },
};
const after: EvaluationResult = {
  problems: 128,
  samples: 128,
  correct: 0.742,
  tool: 0.62,
  format: 0.97,
  correctWithTool: 0.82,
  infrastructure: 0,
  byKind: { easy: { samples: 64, correct: 0.9, tool: 0.16 }, hard: { samples: 64, correct: 0.58, tool: 0.97 } },
};

function aTrajectory(
  step: number,
  problem: number,
  branch: number,
  a: number,
  b: number,
  correct: boolean,
  advantage: number,
): Trajectory {
  const gold = String(a * b);
  const answer = correct ? gold : String(a * b - 10 * (branch + 1));
  const fails = branch % 4 === 2;
  const turns: Turn[] = [
    aTurn(
      `I multiply with Python.\n<code>print(${a} * ${fails ? 'c' : b})\n`,
      `print(${a} * ${fails ? 'c' : b})\n`,
      fails,
      gold,
    ),
    aTurn(`The product is \\boxed{${answer}}.`),
  ];
  return {
    step,
    problemId: `multiply-${problem + 1}`,
    branch,
    kind: problem % 2 === 0 ? 'easy' : 'hard',
    question: `What is ${a} times ${b}?`,
    gold,
    prompt: Array.from({ length: 14 }, (_, i) => i),
    turns: branch === 5 ? turns.slice(1) : turns,
    stop: 'answered',
    grade: {
      reward: correct ? 1 : -1,
      verdict: correct ? 'correct' : 'incorrect',
      formatted: true,
      predicted: answer,
      reason: correct ? 'The two are equal.' : `${answer} is not ${gold}.`,
    },
    advantage,
  };
}

const traceback = `Traceback (most recent call last):\n  File "<string>", line 1, in <module>\nNameError: name 'c' is not defined`;

function aTurn(text: string, code?: string, fails = false, printed = ''): Turn {
  const tokens = [...text].map((character) => character.charCodeAt(0) % 256);
  const logprobs = tokens.map((token) => -((token * 37) % 100) / 120);
  if (code === undefined) return { tokens, logprobs, text, added: [], seconds: 0.21 };
  const [stdout, stderr] = fails ? ['', traceback] : [`${printed}\n`, ''];
  return {
    tokens,
    logprobs,
    text,
    code,
    observation: fails ? "NameError: name 'c' is not defined" : printed,
    result: {
      status: fails ? 'error' : 'ok',
      stdout,
      stderr,
      exitCode: fails ? 1 : 0,
      signal: null,
      seconds: 0.034,
      queueSeconds: 0.2,
      cpuSeconds: 0.021,
      peakMemoryBytes: 9_400_000,
      truncated: false,
      level: 'namespaces',
    },
    added: Array.from({ length: 12 }, (_, i) => i),
    seconds: 0.32,
  };
}
