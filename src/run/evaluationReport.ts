import { averageAtN, majorityAtN, passAtK, powersOfTwo, type Score, shareOf } from '../evaluation/estimators';
import { type Interval, meanOf } from '../evaluation/problemInterval';
import { shareInterval } from '../evaluation/shareInterval';
import { supports } from '../evaluation/supports';
import { RetoolError } from '../lib/errors';
import { textLines } from '../lib/textLines';
import { isInfrastructure, isLost, promptTokensOf, sampledTokensOf } from '../rl/metrics';
import { type EvaluatedGeneration, EvaluatedProblem, EvaluationSummary } from '../schema/evaluation';
import { promptIn } from '../schema/trajectory';

/** What an evaluation says of one problem. */
export interface ProblemScore extends Score {
  readonly id: string;
  readonly question: string;
  readonly gold: string;
}

/** Tokens that a service was asked for: of the prompts of all turns together, and sampled. */
export interface TokenUsage {
  readonly prompt: number;
  readonly sampled: number;
}

/** Everything that is shown of an evaluation that has ended. Shares are 0..1; what {@link isLost} counts nowhere. */
export interface EvaluationReport {
  readonly problems: readonly ProblemScore[];
  /** Samples per problem that were asked for, n. */
  readonly samples: number;
  readonly generations: number;
  readonly correct: number;
  /** Problems with a correct sample. */
  readonly passed: number;
  readonly formatted: number;
  /** avg@n; undefined where there is no generation. */
  readonly average: number | undefined;
  /** 95 % of it, over problems. */
  readonly interval: Interval | undefined;
  /** By k: 1, 2, 4 and so on, and n. */
  readonly passAtK: ReadonlyMap<number, number>;
  readonly majority: number | undefined;
  readonly format: number | undefined;
  readonly codeCalls: number | undefined;
  readonly turns: number | undefined;
  /** Sampled ones of a generation. */
  readonly tokens: number | undefined;
  /** Tokens of all generations, those lost to infrastructure included; undefined where the file does not tell all. */
  readonly usage: TokenUsage | undefined;
  /** Share that a budget of tokens cut; undefined where the file does not say. */
  readonly truncated: number | undefined;
  readonly stops: ReadonlyMap<string, number>;
  readonly infrastructure: number;
  /** Generations that a filter of the service withheld: they are no answers of the model. */
  readonly filtered: number;
  /** What is too little for a claim, a sentence each. */
  readonly cautions: readonly string[];
  readonly summary: EvaluationSummary | undefined;
}

/** Bytes of a problem with all its generations. */
const longestLine = 1 << 28;
const lineHint = "Give a file that 'retool evaluate' or the reference's eval.py wrote.";

/**
 * Every line of an evaluation file, with its number, from 1.
 *
 * @throws RetoolError `data` naming file, line and what is wrong.
 */
export async function* evaluationLines(path: string): AsyncGenerator<{
  readonly number: number;
  readonly line: EvaluatedProblem | EvaluationSummary;
  readonly text: string;
}> {
  for await (const { number, text } of textLines(path, { longest: longestLine, lineHint })) {
    if (text.trim() !== '') yield { number, line: parseLine(path, number, text), text };
  }
}

export const wrongLine = (path: string, number: number, why: string): RetoolError =>
  new RetoolError('data', `${path}, line ${number}: ${why}.`, { hint: lineHint });

function parseLine(path: string, number: number, text: string): EvaluatedProblem | EvaluationSummary {
  const wrong = (why: string) => wrongLine(path, number, why);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrong('not JSON');
  }
  const { type } = (value ?? {}) as { type?: unknown };
  if (type !== 'problem' && type !== 'summary') throw wrong('neither a problem nor a summary of an evaluation');
  const parsed = (type === 'problem' ? EvaluatedProblem : EvaluationSummary).safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw wrong(`the field "${issue?.path.join('.')}" is wrong (${issue?.message})`);
}

/** Reads an evaluation file, which is whole, and says what there is to say of it. @throws as `evaluationLines`. */
export async function readEvaluation(path: string): Promise<EvaluationReport> {
  const tally = new Tally();
  const ids = new Set<string>();
  let last = 1;
  for await (const { number, line } of evaluationLines(path)) {
    last = number;
    tally.add(line);
    if (line.type === 'summary') continue;
    const { problem_id: id } = line;
    if (ids.has(id)) throw wrongLine(path, number, `the field "problem_id" is ${id}, which an earlier line has too`);
    ids.add(id);
  }
  const report = tally.report();
  if (!report.summary) throw wrongLine(path, last, 'the file ends without a summary, as one does that was cut off');
  const told = report.summary.problems;
  if (told !== ids.size) throw wrongLine(path, last, `the summary counts ${told} problems, and ${ids.size} are there`);
  return report;
}

/** Undefined where it is not told: an endpoint may count nothing, and no prompt is empty. */
function usageOf({ trajectory }: EvaluatedGeneration): TokenUsage | undefined {
  if (!trajectory || (trajectory.turns.length > 0 && promptIn(trajectory) === 0)) return undefined;
  return { prompt: promptTokensOf(trajectory), sampled: sampledTokensOf(trajectory) };
}

const wasLost = ({ trajectory }: EvaluatedGeneration): boolean => trajectory !== undefined && isLost(trajectory);

class Tally {
  private readonly problems: ProblemScore[] = [];
  private readonly majorities: number[] = [];
  private readonly stops = new Map<string, number>();
  private summary: EvaluationSummary | undefined;
  private samples = 0;
  private counted = 0;
  private formatted = 0;
  private calls = 0;
  private turns = 0;
  private tokens = 0;
  private failed = 0;
  private filtered = 0;
  private usage: TokenUsage | undefined = { prompt: 0, sampled: 0 };

  add(line: EvaluatedProblem | EvaluationSummary): void {
    if (line.type === 'summary') {
      this.summary = line;
      return;
    }
    const generations = line.generations.filter((generation) => !wasLost(generation));
    for (const generation of line.generations) {
      const used = usageOf(generation);
      this.usage = this.usage &&
        used && { prompt: this.usage.prompt + used.prompt, sampled: this.usage.sampled + used.sampled };
    }
    this.samples = Math.max(this.samples, line.val_n);
    for (const { trajectory } of line.generations) {
      this.failed += Number(trajectory !== undefined && isInfrastructure(trajectory));
      this.filtered += Number(trajectory?.stop === 'contentFilter');
    }
    this.counted += generations.length;
    const correct = generations.filter((generation) => generation.correct).length;
    const { problem_id: id, problem: question, ground_truth: gold } = line;
    this.problems.push({ id, question, gold, samples: generations.length, correct });
    if (generations.length > 0) {
      this.majorities.push(
        majorityAtN(
          generations.map(({ predicted_answer: answer, correct: right }) => ({
            answer: answer ?? null,
            correct: right,
          })),
        ),
      );
    }
    for (const { formatted, code_calls: calls, turns, completion_tokens: tokens, trajectory } of generations) {
      this.formatted += Number(formatted);
      this.calls += calls;
      this.turns += turns;
      this.tokens += tokens;
      if (trajectory) this.stops.set(trajectory.stop, (this.stops.get(trajectory.stop) ?? 0) + 1);
    }
  }

  report(): EvaluationReport {
    const scored = this.problems.filter(({ samples }) => samples > 0);
    const some = scored.length > 0;
    const shares = scored.map(shareOf);
    const cautions: string[] = [];
    const spread = supports({ kind: 'interval', values: shares });
    if (!spread.supported) cautions.push(spread.reason);
    const most = scored.reduce((n, { samples }) => Math.max(n, samples), 0);
    const passes = powersOfTwo(most).flatMap((k): [number, number][] => {
      if (!some) return [];
      const judged = supports({ kind: 'passAtK', scores: scored, k });
      if (!judged.supported) cautions.push(judged.reason);
      return judged.supported ? [[k, meanOf(scored.map((score) => passAtK(score, k)))]] : [];
    });
    const mean = (sum: number) => (this.counted > 0 ? sum / this.counted : undefined);
    const cut = (this.stops.get('turnTokens') ?? 0) + (this.stops.get('trajectoryTokens') ?? 0);
    return {
      problems: this.problems,
      samples: this.samples,
      generations: this.counted,
      correct: scored.reduce((sum, { correct }) => sum + correct, 0),
      passed: scored.filter(({ correct }) => correct > 0).length,
      formatted: this.formatted,
      average: some ? averageAtN(scored) : undefined,
      interval: shareInterval(shares),
      passAtK: new Map(passes),
      majority: some ? meanOf(this.majorities) : undefined,
      format: mean(this.formatted),
      codeCalls: mean(this.calls),
      turns: mean(this.turns),
      tokens: mean(this.tokens),
      usage: this.problems.length > 0 ? this.usage : undefined,
      truncated: this.stops.size > 0 ? mean(cut) : undefined,
      stops: this.stops,
      infrastructure: this.failed,
      filtered: this.filtered,
      cautions,
      summary: this.summary,
    };
  }
}
