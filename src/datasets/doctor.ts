import type { Finding, FindingExample, FindingKind, SetReport } from '../schema/dataReport';
import type { Problem } from '../schema/trajectory';
import type { ProblemFile, ProblemRow } from './problemFile';
import { describeShape } from './recordShapes';
import { scriptOf } from './scriptOf';
import { normalized, SeenQuestions } from './seenQuestions';

/** What the doctor asks of others about a problem. */
export interface Probes {
  /** A gold as it is compared: two that mean the same have one key. */
  readonly gold: (answer: string) => { readonly key: string; readonly isNumber: boolean };
  /** Whether there is room for a trajectory. */
  readonly fits?: (problem: Problem) => boolean;
  /** Whether the reward rule takes the gold, given as an answer, for right. */
  readonly earns?: (problem: Problem) => boolean;
}

export interface ExamineOptions {
  readonly field?: string;
  /** Questions that this set should have none of: those that are trained on. */
  readonly against?: Pick<Examination, 'questions' | 'report'>;
  readonly signal?: AbortSignal;
  /** Told the rows read so far, now and then. */
  readonly onProgress?: (rows: number) => void;
  /**
   * Given every problem that can be read, the number of its question, and whether that is new. Ids are made unique, also
   * those of repeats; two questions with one id of the user's own are a fault.
   */
  readonly onProblem?: (problem: Problem, index: number, isNew: boolean) => void;
}

export interface Examination {
  readonly report: SetReport;
  readonly questions: SeenQuestions;
  /** Numbers of the questions that have several answers. */
  readonly contradictory: ReadonlySet<number>;
  /** Numbers of the questions that do not fit. */
  readonly tooLong: ReadonlySet<number>;
}

const examplesKept = 5;
const excerpt = 100;
const rowsApart = 8192;

/**
 * Examines the problems of a set as they stream by: no text is kept but that of a few examples.
 *
 * @param rows of `file`, of which the report names path and shape.
 * @throws the signal's reason as soon as it is aborted.
 */
export async function examine(
  { path, unit, shape }: Omit<ProblemFile, 'rows'>,
  rows: AsyncIterable<ProblemRow>,
  { gold, fits, earns }: Probes,
  { field, against, signal, onProgress, onProblem }: ExamineOptions = {},
): Promise<Examination> {
  const notes = new Notes();
  const questions = new SeenQuestions();
  const ids = new SeenQuestions();
  const contradictory = new Set<number>();
  const tooLong = new Set<number>();
  const scripts: Record<string, number> = {};
  let count = 0;
  for await (const row of rows) {
    signal?.throwIfAborted();
    count += 1;
    if (count % rowsApart === 0) onProgress?.(count);
    const { number } = row;
    if ('fault' in row) {
      notes.add(row.emptyAnswer ? 'emptyAnswer' : 'unreadable', () => ({ rows: [number], text: row.fault }));
      continue;
    }
    let { problem } = row;
    const { question, answer } = problem;
    const asked = normalized(question);
    const text = () => beginningOf(asked);
    const { key, isNumber } = gold(answer);

    const { index, isNew, sameAnswer } = questions.see(asked, key, number);
    const own = problem.id;
    const id = ids.see(own, String(index), number);
    if (!id.sameAnswer && shape.ownIds) {
      notes.add('sameId', () => ({ rows: [ids.firstRow(id.index), number], text: own }));
    } else if (!id.isNew) {
      // By its id a problem is sampled and found: two of one id would be sampled alike.
      let unique = `${own}#${number}`;
      while (!ids.see(unique, String(index), number).isNew) unique += '#';
      problem = { ...problem, id: unique };
    }

    if (!sameAnswer) {
      if (!contradictory.has(index)) {
        const answers = [questions.firstAnswer(index) ?? null, key];
        notes.add('contradictory', () => ({ rows: [questions.firstRow(index), number], text: text(), answers }));
      }
      contradictory.add(index);
    } else if (!isNew) {
      notes.add('repeated', () => ({ rows: [questions.firstRow(index), number], text: text() }));
    }
    if (isNew) {
      const script = scriptOf(question);
      scripts[script] = (scripts[script] ?? 0) + 1;
      const trained = against?.questions.find(asked);
      if (trained !== undefined) {
        notes.add('overlap', () => ({ rows: [number, against!.questions.firstRow(trained)], text: text() }));
      }
      if (fits && !fits(problem)) {
        tooLong.add(index);
        notes.add('tooLong', () => ({ rows: [number], text: text() }));
      }
      if (earns && !earns(problem)) notes.add('ungraded', () => ({ rows: [number], text: beginningOf(answer) }));
      else if (!isNumber) notes.add('textAnswer', () => ({ rows: [number], text: beginningOf(answer) }));
    }
    onProblem?.(problem, index, isNew);
  }
  onProgress?.(count);
  const distinct = questions.size;
  const usable = distinct - new Set([...contradictory, ...tooLong]).size;
  const trainingUnit = against && { trainingUnit: against.report.unit };
  const found = { field, path, unit, ...trainingUnit, shape: describeShape(shape), rows: count, distinct, usable };
  return { report: { ...found, findings: notes.findings, scripts }, questions, contradictory, tooLong };
}

/** Counts what is found and keeps the first examples of each kind. */
class Notes {
  readonly findings: Partial<Record<FindingKind, Finding>> = {};

  add(kind: FindingKind, example: () => FindingExample): void {
    const { count, examples } = this.findings[kind] ?? { count: 0, examples: [] };
    this.findings[kind] = {
      count: count + 1,
      examples: examples.length < examplesKept ? [...examples, example()] : examples,
    };
  }
}

function beginningOf(text: string): string {
  const line = normalized(text.slice(0, 4 * excerpt));
  return line.length > excerpt ? `${line.slice(0, excerpt - 1)}…` : line;
}
