import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openProblems } from '../../src/datasets/problemFile';
import { JournalWriter } from '../../src/journal/journalFile';
import { createRunFolder, runsFolderOf } from '../../src/journal/runFolder';
import { deriveSeed } from '../../src/lib/seed';
import { compactProtocol } from '../../src/protocols/compact';
import { Experiment } from '../../src/schema/experiment';
import type { Problem } from '../../src/schema/trajectory';
import { localProfile } from '../../src/services/profile';
import { TinkerClient } from '../../src/services/tinkerClient';
import type { SampledSequence, SamplingRequest } from '../../src/trainer/engine';
import { type RunningServer, startServer } from '../../src/trainer/server/server';
import { localVocabulary } from '../../src/trainer/vocabulary';
import { ScriptedEngine } from './scriptedEngine';

/** What a generation of the script is. */
export interface ScriptedAnswer {
  readonly problem: Problem;
  readonly branch: number;
  /** Code executions before the answer. */
  readonly calls: number;
  readonly correct: boolean;
  /** A wrong answer may stand in no box. */
  readonly formatted: boolean;
}

const shape = { context: 8192, layers: 1, width: 16, heads: 4 };
const protocol = compactProtocol(localVocabulary);
const runSeed = 5;
/** The script needs two more turns than the most calls. */
const turns = 4;

/** Problem i solves (7 i + 3) mod 13 of 12 samples: some none, some all. */
const script = (problem: Problem, index: number, branch: number): ScriptedAnswer => {
  const correct = branch < (7 * index + 3) % 13;
  return { problem, branch, calls: (index + branch) % 3, correct, formatted: correct || branch % 2 === 0 };
};

/** An engine that knows by its seed which generation it is asked for, and answers as the script says. */
class Solver extends ScriptedEngine {
  readonly answers: ScriptedAnswer[] = [];
  private readonly turns = new Map<number, { readonly answer: ScriptedAnswer; readonly turn: number }>();
  private pauseAt = Number.POSITIVE_INFINITY;
  private goOn: () => void = () => {};
  private paused: Promise<void> = Promise.resolve();

  constructor(all: readonly ScriptedAnswer[]) {
    super({ vocabulary: 272, ...shape });
    for (const answer of all) {
      for (let turn = 0; turn < turns; turn++) {
        this.turns.set(deriveSeed(runSeed, 'evaluate', answer.problem.id, answer.branch, turn), { answer, turn });
      }
    }
  }

  /** Gives so many answers and no more. */
  pauseAfter(answers: number): void {
    this.pauseAt = answers;
    this.paused = new Promise((resolve) => {
      this.goOn = resolve;
    });
  }

  resume(): void {
    this.pauseAt = Number.POSITIVE_INFINITY;
    this.goOn();
  }

  override async sample(_snapshot: string, request: SamplingRequest, signal: AbortSignal): Promise<SampledSequence> {
    const asked = this.turns.get(request.seed);
    const question = localVocabulary.decode([...request.prompt]);
    if (!asked || !question.includes(asked.answer.problem.question.trim())) throw new Error('Not in the script.');
    const { answer, turn } = asked;
    if (turn < answer.calls) return sequence(protocol.call(`print(${turn})`));
    while (this.answers.length >= this.pauseAt) {
      await Promise.race([
        this.paused,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
      ]);
    }
    this.answers.push(answer);
    const { problem, correct, formatted } = answer;
    const said = correct ? problem.answer : '-1';
    return sequence(formatted ? protocol.answer(said) : [...localVocabulary.encode(said), ...protocol.endOfTurn]);
  }
}

const sequence = (tokens: readonly number[]): SampledSequence => ({
  tokens: Int32Array.from(tokens),
  logprobs: Float32Array.from(tokens, () => -0.5),
  stopReason: 'stop',
  cachedTokens: 0,
  promptLogprobs: new Float32Array(0),
});

/** A training service whose right and wrong answers to a file of problems are known, and a run with a checkpoint on it. */
export class ScriptedSolver {
  readonly engine: Solver;
  readonly all: readonly ScriptedAnswer[];
  private readonly server: RunningServer;
  private readonly directory: string;

  private constructor(all: readonly ScriptedAnswer[], engine: Solver, server: RunningServer, directory: string) {
    this.all = all;
    this.engine = engine;
    this.server = server;
    this.directory = directory;
  }

  /** @param samples of each problem of the file at `path`. */
  static async start(path: string, samples: number, key: string): Promise<ScriptedSolver> {
    const problems: Problem[] = [];
    for await (const row of (await openProblems(path)).rows()) {
      // Problems of a named set are numbered, whatever file they came in.
      if ('problem' in row) problems.push({ ...row.problem, id: String(problems.length) });
    }
    const all = problems.flatMap((problem, index) =>
      Array.from({ length: samples }, (_, branch) => script(problem, index, branch)),
    );
    const engine = new Solver(all);
    const directory = await mkdtemp(join(tmpdir(), 'retool-solver-'));
    return new ScriptedSolver(all, engine, await startServer(engine, { port: 0, key, directory }), directory);
  }

  /** Writes a run of one step into a workspace, its checkpoint saved on the service. @returns its folder. */
  async writeRun(workspace: string, samples: number): Promise<string> {
    const { url, key } = this.server;
    const { signal } = new AbortController();
    const client = await TinkerClient.connect({ url, key, profile: localProfile }, signal);
    const path = await (await client.createTrainer({ seed: runSeed }, signal)).save('step-40');
    client.dispose();
    const experiment = Experiment.parse({
      name: 'solver',
      seed: runSeed,
      service: { ...shape, url },
      data: { train: 'train.jsonl' },
      budgets: { turns, calls: turns - 1, turnTokens: 512, trajectoryTokens: shape.context, observationTokens: 64 },
      evaluation: { samplesPerProblem: samples },
      reinforcement: { steps: 40, concurrency: 16 },
    });
    const runs = runsFolderOf(workspace);
    const folder = await createRunFolder(runs, { experiment, folder: workspace, files: {} }, new Date());
    const journal = await JournalWriter.open(join(folder, 'journal.jsonl'), () => new Date());
    await journal.append({
      kind: 'started',
      name: 'solver',
      seed: runSeed,
      version: '0.1.0',
      coldStartSteps: 0,
      reinforcementSteps: 40,
      problems: { train: 8, evaluation: 0, leftOut: 0 },
      service: { kind: 'local' },
      python: { path: '/usr/bin/python3', version: '3.11.2', level: 'namespaces' },
    });
    const moment = { phase: 'reinforcement', step: 40 } as const;
    await journal.append({ kind: 'step', ...moment, metrics: { 'reward/mean': 0.25 } });
    await journal.append({ kind: 'checkpoint', ...moment, path });
    await journal.append({ kind: 'ended', outcome: 'completed' });
    await journal.close();
    return folder;
  }

  async close(): Promise<void> {
    this.engine.resume();
    await this.server.close();
    await rm(this.directory, { recursive: true, force: true });
  }
}
