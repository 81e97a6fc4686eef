import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { readRun } from '../journal/readRun';
import { exists, readFrozenExperiment, runPaths } from '../journal/runFolder';
import { RetoolError } from '../lib/errors';
import type { EvaluationProtocol, EvaluationSubject } from '../schema/evaluation';
import type { FrozenExperiment, Prices } from '../schema/experiment';
import type { RunState } from '../schema/runState';
import { listEvaluations, readRequest, resultFile } from './evaluationFolder';
import { protocolOf } from './evaluationProtocol';
import { type EvaluationReport, readEvaluation } from './evaluationReport';
import { heldOutSet } from './evaluationSets';
import { readForeignEvaluation } from './foreignEvaluation';

/** An evaluation that has ended, with all there is to say of it. */
export interface EndedEvaluation {
  readonly id: string;
  readonly file: string;
  readonly subject: EvaluationSubject;
  readonly protocol: EvaluationProtocol;
  readonly report: EvaluationReport;
  /** Of the service that sampled it, where they are known. */
  readonly prices: Prices | undefined;
  /** Undefined outside a run. */
  readonly origin: EvaluationOrigin | undefined;
}

/** Where an evaluation belongs: the folder's name of its run, and the name of the experiment. */
export interface EvaluationOrigin {
  readonly run: string;
  readonly experiment: string;
}

/** Is told of a file that is no whole evaluation: the others are there all the same. Without it the fault is thrown. */
type OnBroken = (fault: RetoolError) => void;

const thrown: OnBroken = (fault) => {
  throw fault;
};

/** Every evaluation of a run that has ended: those of its training, then those that were asked for, oldest first. */
export async function endedEvaluations(run: RunState, onBroken = thrown): Promise<EndedEvaluation[]> {
  const folder = join(run.folder, runPaths.evaluations);
  const frozen = await readFrozenExperiment(run.folder);
  const home = homeOf(run.folder, frozen);
  const own: EndedEvaluation[] = [];
  for (const [id, { phase, step, result }] of Object.entries(run.evaluations)) {
    const file = resultFile(folder, id);
    if (!result || !(await exists(file))) continue;
    const report = await unlessBroken(readEvaluation(file), onBroken);
    if (!report) continue;
    const path = run.checkpoints.find((saved) => saved.phase === phase && saved.step === step)?.path;
    own.push({
      id,
      file,
      subject: { kind: 'checkpoint', path, phase, step },
      protocol: ownProtocol(frozen, report),
      report,
      ...home,
    });
  }
  return [...own, ...(await endedIn(folder, onBroken, home))];
}

/** Every evaluation of a folder that was asked for or imported, and has ended, oldest first. */
async function endedIn(folder: string, onBroken: OnBroken, home: Home = nowhere): Promise<EndedEvaluation[]> {
  const ended: EndedEvaluation[] = [];
  for (const { request, status } of await listEvaluations(folder)) {
    if (status !== 'done') continue;
    const { id, subject, protocol } = request;
    const file = resultFile(folder, id);
    const report = await unlessBroken(readEvaluation(file), onBroken);
    if (report) ended.push({ id, file, subject, protocol, report, ...homeFor(subject, home) });
  }
  return ended;
}

function unlessBroken<T>(reading: Promise<T>, onBroken: OnBroken): Promise<T | undefined> {
  return reading.catch((error: unknown) => {
    if (!(error instanceof RetoolError)) throw error;
    onBroken(error);
    return undefined;
  });
}

/**
 * The evaluations that paths stand for: runs, folders of evaluations, and files in the format of the reference.
 *
 * @throws RetoolError as `readRun`; `data` for a file that is not there; `run` for a folder that is neither a run nor one of
 * evaluations.
 */
export async function evaluationsAt(paths: readonly string[], onBroken = thrown): Promise<EndedEvaluation[]> {
  const found: EndedEvaluation[] = [];
  for (const path of paths) {
    const info = await stat(path).catch(() => undefined);
    const some = info?.isDirectory() ? await evaluationsIn(path, onBroken) : [];
    if (!info?.isDirectory()) {
      // One that is not there is no broken one.
      const one = await unlessBroken(evaluationOfFile(path), info ? onBroken : thrown);
      if (one) some.push(one);
    }
    const taken = new Set(found.map(({ id }) => id));
    // Runs have a "before" each.
    found.push(...some.map((each) => (taken.has(each.id) ? { ...each, id: `${basename(path)}/${each.id}` } : each)));
  }
  return found;
}

async function evaluationsIn(folder: string, onBroken: OnBroken): Promise<EndedEvaluation[]> {
  if (await exists(join(folder, runPaths.experiment))) return endedEvaluations(await readRun(folder), onBroken);
  if ((await listEvaluations(folder)).length > 0) return endedIn(folder, onBroken);
  throw new RetoolError(
    'run',
    `${folder} holds no evaluations, and is no run either: it has no ${runPaths.experiment}.`,
    {
      hint: 'Give a run folder, a folder of evaluations such as .retool/evaluations, or evaluation files themselves.',
    },
  );
}

async function evaluationOfFile(file: string): Promise<EndedEvaluation> {
  const request = await readRequest(dirname(file), basename(file, '.jsonl'));
  const { id, subject, protocol } = request ?? (await readForeignEvaluation(file));
  // It may lie in a run.
  const frozen = await readFrozenExperiment(dirname(dirname(file))).catch(() => undefined);
  const home = frozen ? homeOf(dirname(dirname(file)), frozen) : nowhere;
  return { id, file, subject, protocol, report: await readEvaluation(file), ...homeFor(subject, home) };
}

type Home = Pick<EndedEvaluation, 'prices' | 'origin'>;
const nowhere: Home = { prices: undefined, origin: undefined };

const homeOf = (folder: string, { experiment }: FrozenExperiment): Home => ({
  prices: experiment.plan?.prices,
  origin: { run: basename(folder), experiment: experiment.name },
});

/** Prices are those of a run's service: other models were sampled elsewhere. */
const homeFor = ({ kind }: EvaluationSubject, { prices, origin }: Home): Home => ({
  prices: kind === 'checkpoint' ? prices : undefined,
  origin,
});

/**
 * All that a person may want to see beside each other: what was imported into the folder that holds the runs, then the
 * evaluations of the run; or those of a folder alone.
 */
export async function comparableEvaluations(
  source: { readonly run: RunState } | { readonly folder: string },
  onBroken = thrown,
): Promise<EndedEvaluation[]> {
  if ('folder' in source) return endedIn(source.folder, onBroken);
  const own = await endedEvaluations(source.run, onBroken);
  const beside = await endedIn(join(source.run.folder, '..', '..', runPaths.evaluations), onBroken);
  const ids = new Set(own.map(({ id }) => id));
  return [...beside.filter(({ id }) => !ids.has(id)), ...own];
}

/** What a training asks of the problems that it holds out. */
function ownProtocol({ experiment }: FrozenExperiment, { problems }: EvaluationReport): EvaluationProtocol {
  const asked = problems.map(({ id, question, gold }) => ({ id, question, answer: gold }));
  return protocolOf(experiment, { name: heldOutSet, problems: asked }, {});
}
