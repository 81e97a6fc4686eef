import { type Examination, examine, type Probes } from '../datasets/doctor';
import { openProblems } from '../datasets/problemFile';
import { createRule } from '../grading/createRule';
import { RetoolError } from '../lib/errors';
import { deriveSeed, mulberry32, shuffled } from '../lib/seed';
import type { ToolProtocol } from '../rl/ports';
import { type FindingKind, refusedKinds, type SetReport } from '../schema/dataReport';
import type { Experiment } from '../schema/experiment';
import type { Problem, Turn } from '../schema/trajectory';
import { goldKey } from './goldKey';
import type { Locate } from './hubData';

/** Fewer tokens than this are no room for a turn. */
const smallestTurn = 8;

/** Tokens that a prompt may have. */
export const promptLimit = ({ budgets }: Experiment): number => budgets.trajectoryTokens - smallestTurn;

/** The fields of an experiment that name problem files. */
export type ProblemField = 'data.train' | 'data.evaluation';

export interface ReadingOptions {
  readonly signal?: AbortSignal | undefined;
  /** Told the field that is read and the records so far, now and then. */
  readonly onProgress?: ((field: string, records: number) => void) | undefined;
}

export type Examined = { readonly 'data.train': Examination; readonly 'data.evaluation'?: Examination };

/**
 * Examines the problem files of an experiment, the training set first.
 *
 * @param locate tells where they lie.
 * @param onProblem is given every problem that can be read, as `examine` says.
 * @throws RetoolError `data` for a file that cannot be read or whose columns fit no shape.
 */
export async function examineSets(
  experiment: Experiment,
  locate: Locate,
  protocol: ToolProtocol,
  { signal, onProgress }: ReadingOptions = {},
  onProblem?: (field: ProblemField, problem: Problem, index: number, isNew: boolean) => void,
): Promise<Examined> {
  const probes = probesOf(experiment, protocol);
  const read = async (field: ProblemField, path: string, against?: Examination) => {
    const file = await openProblems(locate(path));
    return examine(file, file.rows(), probes, {
      field,
      ...(against && { against }),
      ...(signal && { signal }),
      ...(onProgress && { onProgress: (records) => onProgress(field, records) }),
      ...(onProblem && { onProblem: (...found) => onProblem(field, ...found) }),
    });
  };
  const train = await read('data.train', experiment.data.train);
  if (experiment.data.evaluation === undefined) return { 'data.train': train };
  return { 'data.train': train, 'data.evaluation': await read('data.evaluation', experiment.data.evaluation, train) };
}

const plainInteger = /^-?\d{1,15}$/;

function probesOf(experiment: Experiment, protocol: ToolProtocol): Probes {
  const limit = promptLimit(experiment);
  const rule = createRule(experiment.reward);
  const turn = (text: string): Turn => ({ tokens: [], logprobs: [], text, added: [], seconds: 0 });
  return {
    gold: goldKey,
    fits: (problem) => protocol.prompt(problem).length <= limit,
    // Every rule passes its self-tests on whole numbers.
    earns: ({ answer }) =>
      plainInteger.test(answer) ||
      rule.grade({ gold: answer, turns: [turn(`\\boxed{${answer}}`)], stop: 'answered' }).verdict === 'correct',
  };
}

/** What a run learns from and is measured on, with what was found in its files. */
export interface ProblemSets {
  readonly problems: readonly Problem[];
  readonly evaluation: readonly Problem[];
  readonly reports: readonly SetReport[];
  /** Records of both sets that are not used: too long for the context, repeated, or with contradictory answers. */
  readonly leftOut: { readonly tooLong: number; readonly repeated: number; readonly contradictory: number };
}

/**
 * Reads the problems of an experiment. A question that is repeated is kept once, one with different answers not at all,
 * and one that leaves no room in a trajectory neither. What is held out is drawn from what is left.
 *
 * @throws RetoolError `data` naming file, line and field of the first record that is wrong, or a set that is empty.
 */
export async function readProblemSets(
  experiment: Experiment,
  locate: Locate,
  protocol: ToolProtocol,
  options: ReadingOptions = {},
): Promise<ProblemSets> {
  const { data } = experiment;
  const read: Record<ProblemField, { problem: Problem; index: number }[]> = { 'data.train': [], 'data.evaluation': [] };
  const examined = await examineSets(experiment, locate, protocol, options, (field, problem, index, isNew) => {
    if (isNew || !data.deduplicate) read[field].push({ problem, index });
  });
  const leftOut = { tooLong: 0, repeated: 0, contradictory: 0 };
  const keep = (field: ProblemField): Problem[] => {
    const examination = examined[field];
    if (!examination) return [];
    const { report, questions, contradictory, tooLong } = examination;
    refuseFaults(report);
    const kept = read[field].filter(({ index }) => !contradictory.has(index));
    const records = [...contradictory].reduce((sum, index) => sum + questions.rowsOf(index), 0);
    leftOut.contradictory += records;
    leftOut.repeated += report.rows - records - kept.length;
    const fitting = kept.filter(({ index }) => !tooLong.has(index)).map(({ problem }) => problem);
    leftOut.tooLong += kept.length - fitting.length;
    if (fitting.length === 0) throw nothingLeft(experiment, field, report, kept.length);
    return fitting;
  };
  const train = keep('data.train');
  const evaluation = keep('data.evaluation');
  const reports = Object.values(examined).map(({ report }) => report);
  if (data.holdOut === undefined) return { problems: train, evaluation, reports, leftOut };
  return { ...heldOut(train, data.train, data.holdOut), reports, leftOut };
}

/** A run begins with files that are right, or not at all. */
function refuseFaults({ path, unit, findings }: SetReport): void {
  const first = (kind: FindingKind) => findings[kind]?.examples.map((example) => ({ kind, ...example })) ?? [];
  const faults = refusedKinds.flatMap(first).sort((a, b) => a.rows.at(-1)! - b.rows.at(-1)!);
  const [fault] = faults;
  if (!fault) return;
  const [earlier] = fault.rows;
  const what = fault.kind === 'sameId' ? `the id "${fault.text}" is that of ${unit} ${earlier} too.` : fault.text;
  throw new RetoolError('data', `${path}, ${unit} ${fault.rows.at(-1)}: ${what}`, {
    hint: "Mend the file; 'retool doctor', in VS Code 'Check Data Sets', lists everything that is wrong with it.",
  });
}

function nothingLeft(
  experiment: Experiment,
  field: ProblemField,
  { distinct }: SetReport,
  consistent: number,
): RetoolError {
  const path = field === 'data.train' ? experiment.data.train : experiment.data.evaluation;
  if (consistent === 0) {
    return new RetoolError(
      'data',
      `All ${distinct.toLocaleString('en')} questions of ${path} have different answers in different records.`,
      {
        hint: "'retool doctor', in VS Code 'Check Data Sets', lists them.",
      },
    );
  }
  const limit = promptLimit(experiment);
  return new RetoolError(
    'data',
    `None of the ${consistent.toLocaleString('en')} problems of ${path} fits in ${limit.toLocaleString('en')} tokens.`,
    {
      hint: 'Raise budgets.trajectoryTokens and service.context.',
    },
  );
}

/** The same problems for every seed of the experiment, so that runs of different seeds are measured alike. */
function heldOut(problems: readonly Problem[], file: string, count: number) {
  if (count >= problems.length) {
    throw new RetoolError(
      'data',
      `data.holdOut is ${count.toLocaleString('en')}, but ${file} has ${problems.length.toLocaleString('en')} problems to use.`,
      {
        hint: 'Hold out fewer, so that some are left to learn from.',
      },
    );
  }
  const order = shuffled([...problems.keys()], mulberry32(deriveSeed(0, 'holdOut')));
  const held = new Set(order.slice(0, count));
  return {
    problems: problems.filter((_, i) => !held.has(i)),
    evaluation: problems.filter((_, i) => held.has(i)),
  };
}
