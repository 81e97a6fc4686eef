import { join, resolve } from 'node:path';
import { durationText, runSummary } from '../journal/forecast';
import { lacksBeginning, readRun } from '../journal/readRun';
import { readTrajectoryAt, rolloutIndexAt, unreadText } from '../journal/rolloutPlace';
import { runPaths } from '../journal/runFolder';
import { trajectoryText } from '../journal/trajectoryText';
import { RetoolError } from '../lib/errors';
import { shellQuoted } from '../lib/shellQuoted';
import { listEvaluations } from '../run/evaluationFolder';
import type { RunState } from '../schema/runState';
import type { RolloutPlace } from '../schema/trajectory';
import { readArguments, wholeNumber } from './arguments';
import { commandHelp } from './help';
import { shown } from './invocation';
import { exitCode, type Output } from './output';
import { percent } from './percent';

export async function showCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.show.usage,
    args,
    { least: 1, most: 1 },
    {
      json: { type: 'boolean' },
      step: { type: 'string' },
      evaluation: { type: 'string' },
      problem: { type: 'string' },
      branch: { type: 'string' },
    },
  );
  const folder = resolve(positionals[0]!);
  const step = wholeNumber('--step', values.step, 1);
  const branch = wholeNumber('--branch', values.branch, 0);
  const { evaluation, problem } = values;
  if (branch !== undefined && problem === undefined) {
    throw new RetoolError('usage', '--branch needs --problem ID beside it.');
  }
  if (problem !== undefined && step === undefined && evaluation === undefined) {
    throw new RetoolError('usage', '--problem needs --step N or --evaluation ID beside it.');
  }
  if (step !== undefined && evaluation !== undefined) {
    throw new RetoolError('usage', '--step and --evaluation exclude each other.');
  }
  const run = await readRun(folder);
  const known = evaluation === undefined ? [] : [...trainingIds(run), ...(await askedIds(run))];
  if (evaluation !== undefined && !known.includes(evaluation)) {
    throw new RetoolError('run', `${shown(folder)} has no finished evaluation "${evaluation}".`, {
      hint: `It has ${known.join(', ') || 'none'}.`,
    });
  }
  if (step === undefined && evaluation === undefined) {
    showRun(run, await lacksBeginning(run), await askedIds(run), output);
    return exitCode.done;
  }
  const place = step === undefined ? { evaluation: evaluation! } : { step };
  if (problem === undefined) {
    await showGroups(folder, place, output);
  } else {
    const trajectory = await readTrajectoryAt(folder, place, problem, branch ?? 0);
    output.say(trajectoryText(trajectory, evaluation));
    output.summary({ trajectory });
  }
  return exitCode.done;
}

/** Evaluations of its training that have ended. */
const trainingIds = ({ evaluations }: RunState): string[] =>
  Object.keys(evaluations).filter((id) => evaluations[id]?.result);

/** Evaluations that were asked for and have ended. */
async function askedIds({ folder }: RunState): Promise<string[]> {
  const asked = await listEvaluations(join(folder, runPaths.evaluations));
  return asked.filter(({ status }) => status === 'done').map(({ request }) => request.id);
}

function showRun(run: RunState, isTorn: boolean, asked: readonly string[], output: Output): void {
  const summary = runSummary(run);
  output.say(`${run.name}: ${run.status}${run.message ? ` (${run.message})` : ''}`);
  output.say(
    `${run.phase === 'coldStart' ? 'Cold start' : 'Step'} ${run.step} of ${run.phase === 'coldStart' ? run.plan.coldStart : run.plan.reinforcement}, ${durationText(summary.seconds)}`,
  );
  for (const [id, { result }] of Object.entries(run.evaluations)) {
    if (result) output.say(`${id}: correct ${percent(result.correct)}, tool ${percent(result.tool)}`);
  }
  for (const id of asked) output.say(`evaluation ${id}`);
  for (const { path } of run.checkpoints) output.say(`checkpoint ${path}`);
  if (run.skipped > 0)
    output.say(`${run.skipped} ${run.skipped === 1 ? 'line' : 'lines'} of the journal could not be read.`);
  if (isTorn) output.say('The beginning of its journal is lost: restore journal.jsonl to go on.');
  if (run.hint) output.advise(run.hint);
  if (run.status !== 'running' && run.status !== 'completed' && !isTorn) {
    output.advise(`Go on: retool resume ${shown(run.folder)}`);
  }
  const last = run.points.findLast(({ phase }) => phase === 'reinforcement')?.step;
  if (last !== undefined) output.advise(`Rollouts: retool show ${shown(run.folder)} --step ${last}`);
  output.summary({ ...summary, skippedLines: run.skipped, checkpoints: run.checkpoints });
}

const dots = { correct: '●', incorrect: '○', unknown: '?' };

async function showGroups(folder: string, place: RolloutPlace, output: Output): Promise<void> {
  const { rows, unread } = await rolloutIndexAt(folder, place);
  for (const problem of new Set(rows.map(({ problemId }) => problemId))) {
    const group = rows.filter(({ problemId }) => problemId === problem);
    const verdicts = group.map(({ verdict }) => dots[verdict]).join('');
    output.say(`${problem}  ${verdicts}  gold ${group[0]?.gold}`);
  }
  if (unread) output.say(unreadText(folder, place, unread));
  output.advise('● correct, ○ incorrect, ? not understood; one for each branch.');
  const where = 'step' in place ? `--step ${place.step}` : `--evaluation ${place.evaluation}`;
  output.advise(
    `Read one: retool show ${shown(folder)} ${where} --problem ${shellQuoted(rows[0]?.problemId ?? '')} --branch 0`,
  );
  output.summary({ ...place, trajectories: rows, unread });
}
