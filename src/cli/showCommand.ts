import { resolve } from 'node:path';
import { durationText, runSummary } from '../journal/forecast';
import { readRun } from '../journal/readRun';
import { readRolloutIndex, readTrajectory } from '../journal/rolloutFile';
import { rolloutFile } from '../journal/runFolder';
import { trajectoryText } from '../journal/trajectoryText';
import { RetoolError } from '../lib/errors';
import { shellQuoted } from '../lib/shellQuoted';
import type { RunState } from '../schema/runState';
import { readArguments, wholeNumber } from './arguments';
import { exitCode, type Output } from './output';
import { shown } from './trainCommand';

export async function showCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    'retool show <run-dir> [--step N [--problem ID [--branch B]]] [--json]',
    args,
    { least: 1, most: 1 },
    {
      json: { type: 'boolean' },
      step: { type: 'string' },
      problem: { type: 'string' },
      branch: { type: 'string' },
    },
  );
  const folder = resolve(positionals[0]!);
  const step = wholeNumber('--step', values.step, 1);
  const branch = wholeNumber('--branch', values.branch, 0) ?? 0;
  if (values.problem !== undefined && step === undefined) {
    throw new RetoolError('usage', '--problem needs --step N beside it.');
  }
  const run = await readRun(folder);
  if (step === undefined) {
    showRun(run, output);
  } else if (values.problem === undefined) {
    await showStep(folder, step, output);
  } else {
    const trajectory = await readTrajectory(rolloutFile(folder, step), values.problem, branch);
    output.say(trajectoryText(trajectory));
    output.summary({ trajectory });
  }
  return exitCode.done;
}

function showRun(run: RunState, output: Output): void {
  const summary = runSummary(run);
  const percent = (value: number) => `${(value * 100).toFixed(1)} %`;
  output.say(`${run.name}: ${run.status}${run.message ? ` (${run.message})` : ''}`);
  output.say(
    `${run.phase === 'coldStart' ? 'Cold start' : 'Step'} ${run.step} of ${run.phase === 'coldStart' ? run.plan.coldStart : run.plan.reinforcement}, ${durationText(summary.seconds)}`,
  );
  for (const [id, { result }] of Object.entries(run.evaluations)) {
    if (result) output.say(`${id}: correct ${percent(result.correct)}, tool ${percent(result.tool)}`);
  }
  for (const { path } of run.checkpoints) output.say(`checkpoint ${path}`);
  if (run.skipped > 0) output.say(`${run.skipped} lines of the journal could not be read.`);
  if (run.status === 'interrupted' || run.status === 'stopped') {
    output.say(`Go on by 'retool resume ${shown(run.folder)}'.`);
  }
  output.summary({ ...summary, skippedLines: run.skipped, checkpoints: run.checkpoints });
}

async function showStep(folder: string, step: number, output: Output): Promise<void> {
  const rows = await readRolloutIndex(rolloutFile(folder, step));
  for (const problem of new Set(rows.map(({ problemId }) => problemId))) {
    const group = rows.filter(({ problemId }) => problemId === problem);
    const dots = group.map(({ verdict }) => (verdict === 'correct' ? '●' : '○')).join('');
    output.say(`${problem}  ${dots}  gold ${group[0]?.gold}`);
  }
  output.say(
    `Read one: retool show ${shown(folder)} --step ${step} --problem ${shellQuoted(rows[0]?.problemId ?? '')} --branch 0`,
  );
  output.summary({ step, trajectories: rows });
}
