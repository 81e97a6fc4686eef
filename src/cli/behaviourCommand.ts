import { resolve } from 'node:path';
import { type Measure, measured, measures, valuesOf } from '../behaviour/measures';
import type { Sums } from '../behaviour/trajectoryBehaviour';
import { readRun } from '../journal/readRun';
import { unreadText } from '../journal/rolloutPlace';
import { RetoolError } from '../lib/errors';
import { shellQuoted } from '../lib/shellQuoted';
import {
  behaviourAt,
  behaviourOverSteps,
  type PlacedBehaviour,
  sampledSteps,
  stepsWithRollouts,
} from '../run/runBehaviour';
import { readArguments, realNumber, wholeNumber } from './arguments';
import { commandHelp } from './help';
import { shown } from './invocation';
import { exitCode, type Output } from './output';

/** Says how a model uses its interpreter: in a step, in an evaluation, or over the steps of a run. */
export async function behaviourCommand(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.behaviour.usage,
    args,
    { least: 1, most: 1 },
    {
      json: { type: 'boolean' },
      step: { type: 'string' },
      evaluation: { type: 'string' },
      every: { type: 'string' },
      similarity: { type: 'string' },
    },
  );
  const step = wholeNumber('--step', values.step, 1);
  const every = wholeNumber('--every', values.every, 1);
  const similarity = realNumber('--similarity', values.similarity, 0, 1);
  const { evaluation } = values;
  if ([step, evaluation, every].filter((each) => each !== undefined).length > 1) {
    throw new RetoolError('usage', '--step, --evaluation and --every exclude each other.');
  }
  if (evaluation !== undefined && !/^[\w.-]+$/.test(evaluation)) {
    throw new RetoolError('usage', `"${evaluation}" is no name of an evaluation.`);
  }
  const { folder } = await readRun(resolve(positionals[0]!));
  if (step !== undefined || evaluation !== undefined) {
    const place = step === undefined ? { evaluation: evaluation! } : { step };
    const onRead = trajectoriesRead(output);
    sayPlace(folder, await behaviourAt(folder, place, { similarity, onRead }), output);
    return exitCode.done;
  }
  const stored = await stepsWithRollouts(folder);
  if (stored.length === 0) {
    throw new RetoolError('run', `${shown(folder)} has no step with trajectories.`, {
      hint: 'Its evaluations are told of with --evaluation ID.',
    });
  }
  const steps = sampledSteps(stored, every);
  const found: PlacedBehaviour[] = [];
  const onRead = trajectoriesRead(output, () => `${found.length} of ${steps.length} steps read, `);
  for await (const behaviour of behaviourOverSteps(folder, steps, { similarity, onRead })) {
    found.push(behaviour);
    output.record(recordOf(behaviour));
  }
  const unread = found.flatMap((behaviour) => faultOf(folder, behaviour) ?? []);
  const read = found.filter(({ failure }) => failure === undefined);
  if (read.length === 0) throw new RetoolError('data', unread[0]!);
  sayTable(
    read.map((behaviour) => ({
      head: String('step' in behaviour.place ? behaviour.place.step : ''),
      sums: behaviour.all,
    })),
    'step',
    output,
  );
  sayUnread(unread, output);
  if (steps.length < stored.length) {
    output.say(`${steps.length} of ${stored.length} steps; --every 1 reads all of them.`);
  }
  output.summary({ steps, unread: unread.length });
  return exitCode.done;
}

/** Shows on a terminal how far the reading is: code is parsed, and many long calls take a while. */
const trajectoriesRead =
  (output: Output, before = () => '') =>
  (count: number): void => {
    if (process.stdout.isTTY) output.progress(`${before()}${count.toLocaleString('en')} trajectories read`);
  };

/** What of a place cannot be read, in a sentence. */
const faultOf = (folder: string, { place, unread, failure }: PlacedBehaviour): string | undefined =>
  failure ?? (unread && unreadText(folder, place, unread));

const mostFaults = 5;

function sayUnread(faults: readonly string[], output: Output): void {
  for (const fault of faults.slice(0, mostFaults)) output.say(fault);
  if (faults.length > mostFaults) output.say(`The same of ${faults.length - mostFaults} steps more; --json has them.`);
}

function sayPlace(folder: string, behaviour: PlacedBehaviour, output: Output): void {
  const { place, all, correct, incorrect, infrastructure, withoutTrajectory, corrections } = behaviour;
  const sides = { all, right: correct, wrong: incorrect };
  output.say(
    `${all.trajectories} trajectories, ${correct.trajectories} right and ${incorrect.trajectories} wrong${notUnderstood(all.trajectories - correct.trajectories - incorrect.trajectories)}; ${all.succeeded} of ${all.executed} executed calls succeeded.`,
  );
  if (infrastructure > 0)
    output.say(`${infrastructure} failed by sandbox or service, or were withheld by a filter, and are left out.`);
  if (withoutTrajectory > 0) output.say(`${withoutTrajectory} have no trajectory and are left out.`);
  const fault = faultOf(folder, behaviour);
  if (fault !== undefined) output.say(fault);
  sayTable(
    Object.entries(sides).map(([head, sums]) => ({ head, sums })),
    '',
    output,
  );
  const where = 'step' in place ? `--step ${place.step}` : `--evaluation ${place.evaluation}`;
  for (const { problemId, branch, failedTurn, correctedTurn, failure } of corrections.slice(0, 5)) {
    output.say(`Corrected: turn ${failedTurn} (${failure}) by turn ${correctedTurn}`);
    output.advise(`  retool show ${shown(folder)} ${where} --problem ${shellQuoted(problemId)} --branch ${branch}`);
  }
  if (corrections.length > 5) output.say(`${corrections.length - 5} more corrections; --json has them.`);
  const record = recordOf(behaviour);
  output.record(record);
  output.summary({ ...place, trajectories: all.trajectories });
}

const sideOf = (sums: Sums) => ({ ...valuesOf(sums), sums });

const recordOf = ({ place, all, correct, incorrect, ...told }: PlacedBehaviour) => ({
  kind: 'behaviour',
  ...place,
  all: sideOf(all),
  correct: sideOf(correct),
  incorrect: sideOf(incorrect),
  ...told,
});

/** Columns of figures that fit beside the names. */
const columnsAtOnce = 8;

function sayTable(
  columns: readonly { readonly head: string; readonly sums: Sums }[],
  title: string,
  output: Output,
): void {
  const width = Math.max(...measures.map(({ name }) => name.length)) + 1;
  for (let from = 0; from < columns.length; from += columnsAtOnce) {
    const part = columns.slice(from, from + columnsAtOnce);
    const line = (name: string, cells: readonly string[]) =>
      output.say(`${name.padEnd(width)}${cells.map((cell) => cell.padStart(9)).join('')}`);
    line(
      title,
      part.map(({ head }) => head),
    );
    for (const measure of measures) {
      line(
        measure.name,
        part.map(({ sums }) => written(measure, sums)),
      );
    }
    if (from + columnsAtOnce < columns.length) output.say('');
  }
}

function written(measure: Measure, sums: Sums): string {
  const value = measured(measure, sums);
  if (value === null) return '–';
  return measure.form === 'share' ? `${(value * 100).toFixed(1)} %` : value.toFixed(value < 100 ? 2 : 0);
}

const notUnderstood = (count: number): string => (count === 0 ? '' : `, ${count} not understood`);
