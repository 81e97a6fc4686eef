import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type {
  EvaluatedProblem,
  EvaluationMode,
  EvaluationProtocol,
  EvaluationSubject,
  EvaluationSummary,
} from '../schema/evaluation';
import type { Problem } from '../schema/trajectory';
import { digestOf, slug } from './evaluationProtocol';
import { evaluationLines, wrongLine } from './evaluationReport';
import { recognize, recognizedName } from './namedSets';
import { Averages } from './summaryAverages';

/** What an evaluation file that nobody asked for here says of itself. */
export interface ForeignEvaluation {
  /** Equal for equal content, whatever the file is called. */
  readonly id: string;
  /** SHA-256 of its lines, however they end; for a plain file, of the file. */
  readonly sha256: string;
  /** Whether the model is as it was before training. */
  readonly isBase: boolean;
  readonly subject: Extract<EvaluationSubject, { kind: 'imported' }>;
  readonly protocol: EvaluationProtocol;
  /** What cannot be known from it, a sentence each. */
  readonly missing: readonly string[];
  /** Where its summary contradicts its lines, in a sentence: the lines count. */
  readonly contradiction?: string;
}

/**
 * Reads a file in the format of the PyTRIO reference: `problem` lines, a `summary` last.
 *
 * @throws RetoolError `data` naming file, line and field where it is torn, of another format, or at odds with itself.
 */
export async function readForeignEvaluation(path: string): Promise<ForeignEvaluation> {
  const tally = new ForeignTally(path);
  const hash = createHash('sha256');
  for await (const { number, line, text } of evaluationLines(path)) {
    tally.add(number, line);
    hash.update(`${text}\n`);
  }
  const { summary, problems, hasTurns, contradiction } = tally.end();
  const found = recognize(problems);
  const name = found ? recognizedName(found) : summary.dataset;
  const sha256 = hash.digest('hex');
  return {
    id: `${slug(name)}.${slug(basename(path).replace(/\.jsonl?$/, ''))}.${sha256.slice(0, 8)}`,
    sha256,
    isBase: (summary.model_path ?? '') === '',
    subject: { kind: 'imported', from: basename(path), model: summary.model_path || summary.base_model },
    protocol: {
      dataset: { name, problems: problems.length, digest: digestOf(problems) },
      mode: tally.mode,
      samples: summary.val_n,
      temperature: summary.temperature,
      topP: summary.top_p,
      topK: summary.top_k,
      settings: {},
    },
    ...(contradiction !== undefined && { contradiction }),
    missing: [
      ...(hasTurns
        ? []
        : [
            'The last text of each generation is there alone: no turns, no code and its output, no tokens of prompts. Its trajectories open as that text.',
          ]),
      'Seed, budgets, reward rule and sandbox are not said: only set, mode, samples, temperature, top_p and top_k tell whether evaluations were asked alike.',
    ],
  };
}

/** The reference's words, and those of its own documentation. */
const modes: Readonly<Record<string, EvaluationMode>> = {
  retool: 'tool',
  tool: 'tool',
  'text-only': 'text',
  text: 'text',
};

class ForeignTally {
  mode: EvaluationMode = 'tool';
  private readonly path: string;
  private readonly problems: Problem[] = [];
  private readonly ids = new Set<string>();
  private readonly counts = { generations: 0, correct_generations: 0, passed_problems: 0 };
  private readonly samples = new Map<number, number>();
  private readonly averages = new Averages();
  private summary: EvaluationSummary | undefined;
  private hasTurns = true;
  private last = 0;

  constructor(path: string) {
    this.path = path;
  }

  add(number: number, line: EvaluatedProblem | EvaluationSummary): void {
    this.last = number;
    if (this.summary) throw this.wrong(number, 'stands behind the summary, which ends an evaluation');
    if (line.type === 'summary') this.addSummary(number, line);
    else this.addProblem(number, line);
  }

  end() {
    const { summary, problems, hasTurns, path, last } = this;
    if (summary) {
      const other = this.averages.otherThan(summary);
      return { summary, problems, hasTurns, contradiction: other && `${path}, line ${last}: ${other}` };
    }
    throw this.wrong(
      Math.max(this.last, 1),
      'the file ends without a summary, as one does whose evaluation was cut off',
    );
  }

  private addProblem(number: number, line: EvaluatedProblem): void {
    const { problem_id: id, problem: question, ground_truth: answer, generations } = line;
    if (this.ids.has(id)) throw this.wrong(number, `the field "problem_id" is ${id}, which an earlier line has too`);
    this.ids.add(id);
    this.problems.push({ id, question, answer });
    const correct = generations.filter((generation) => generation.correct).length;
    this.expect(number, 'generations', generations.length, line.val_n, 'val_n asks for');
    this.expect(number, 'num_correct', line.num_correct, correct, 'the number of its correct generations is');
    this.expect(number, 'pass_at_n', line.pass_at_n, correct > 0, 'its generations say');
    this.samples.set(line.val_n, number);
    this.counts.generations += generations.length;
    this.counts.correct_generations += correct;
    this.counts.passed_problems += Number(correct > 0);
    this.averages.add(line);
    if (generations.some(({ trajectory }) => trajectory === undefined)) this.hasTurns = false;
  }

  private addSummary(number: number, summary: EvaluationSummary): void {
    const mode = Object.hasOwn(modes, summary.mode) ? modes[summary.mode] : undefined;
    if (!mode) throw this.wrong(number, `the field "mode" is ${JSON.stringify(summary.mode)}, not retool or text-only`);
    if (this.problems.length === 0) throw this.wrong(number, 'no problem stands before the summary');
    const counted = { problems: this.problems.length, ...this.counts };
    for (const field of ['problems', 'generations', 'correct_generations', 'passed_problems'] as const) {
      this.expect(number, field, summary[field], counted[field], 'the lines above hold');
    }
    for (const [samples, at] of this.samples) this.expect(at, 'val_n', samples, summary.val_n, 'the summary says');
    this.mode = mode;
    this.summary = summary;
  }

  private expect<T>(number: number, field: string, said: T, is: T, where: string): void {
    if (said !== is) throw this.wrong(number, `the field "${field}" is ${said}, but ${where} ${is}`);
  }

  private wrong(number: number, why: string) {
    return wrongLine(this.path, number, why);
  }
}
