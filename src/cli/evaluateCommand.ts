import { resolve } from 'node:path';
import { durationText } from '../journal/forecast';
import { readRun } from '../journal/readRun';
import { RetoolError } from '../lib/errors';
import { readEvaluation } from '../run/evaluationReport';
import type { CheckpointSubject } from '../run/evaluationRequests';
import { heldOutSet } from '../run/evaluationSets';
import { type EvaluationsOptions, evaluateCheckpoint } from '../run/evaluations';
import { EvaluationMode } from '../schema/evaluation';
import type { RunState } from '../schema/runState';
import { readArguments, realNumber, wholeNumber } from './arguments';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
import { onInterrupt } from './interrupts';
import { shown } from './invocation';
import { exitCode, type Output } from './output';

/** Evaluates checkpoints of a run, one after the other. */
export async function evaluateCommand(
  args: readonly string[],
  parts: EvaluationsOptions,
  output: Output,
): Promise<number> {
  const { values, positionals } = readArguments(
    commandHelp.evaluate.usage,
    args,
    { least: 1, most: 1 },
    {
      json: { type: 'boolean' },
      checkpoint: { type: 'string' },
      dataset: { type: 'string' },
      hub: { type: 'string' },
      samples: { type: 'string' },
      temperature: { type: 'string' },
      'top-p': { type: 'string' },
      'top-k': { type: 'string' },
      seed: { type: 'string' },
      mode: { type: 'string' },
      limit: { type: 'string' },
      chunk: { type: 'string' },
      concurrency: { type: 'string' },
      'most-tokens': { type: 'string' },
      python: { type: 'string' },
      'allow-unsafe-sandbox': { type: 'boolean' },
    },
  );
  const run = await readRun(resolve(positionals[0]!));
  const choices = {
    mode: modeOf(values.mode),
    samples: wholeNumber('--samples', values.samples, 1, 1024),
    temperature: realNumber('--temperature', values.temperature, 0, 100),
    topP: realNumber('--top-p', values['top-p'], 0, 1),
    topK: wholeNumber('--top-k', values['top-k'], 1),
    seed: wholeNumber('--seed', values.seed, 0, 2_147_483_647),
    limit: wholeNumber('--limit', values.limit, 1),
  };
  const options = {
    run: run.folder,
    dataset: values.dataset ?? heldOutSet,
    ...hubAccess(values.hub, output),
    choices,
    chunk: wholeNumber('--chunk', values.chunk, 1),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 4096),
    mostTokens: wholeNumber('--most-tokens', values['most-tokens'], 1),
    python: values.python,
    allowUnsafeSandbox: values['allow-unsafe-sandbox'] === true,
  };
  const ended = [];
  for (const subject of subjectsOf(run, values.checkpoint ?? 'last')) {
    ended.push(await evaluateOne(run, { ...options, subject }, parts, output));
    if (ended.at(-1) === 'stopped') break;
  }
  return ended.every((how) => how === 'completed') ? exitCode.done : exitCode.interrupted;
}

function modeOf(text: string | undefined): EvaluationMode | undefined {
  // The reference's own words for them.
  const mode = text === 'retool' ? 'tool' : text === 'text-only' ? 'text' : text;
  if (mode === undefined || EvaluationMode.safeParse(mode).success) return mode as EvaluationMode | undefined;
  throw new RetoolError('usage', `There is no mode "${text}".`, { hint: 'Modes: tool, text.' });
}

/** @param wanted `base`, `last`, `all` or a step of the reinforcement. @throws RetoolError `usage` naming those that there are. */
function subjectsOf({ checkpoints, folder }: RunState, wanted: string): CheckpointSubject[] {
  const base: CheckpointSubject = { kind: 'checkpoint', phase: 'coldStart', step: 0 };
  const saved = checkpoints.map(
    ({ phase, step, path }): CheckpointSubject => ({ kind: 'checkpoint', path, phase, step }),
  );
  if (wanted === 'base') return [base];
  if (wanted === 'all') return [base, ...saved];
  const named = saved.filter(({ phase, step, path }) => {
    if (wanted === 'last') return path === saved.at(-1)?.path;
    return path?.endsWith(`/${wanted}`) || (phase === 'reinforcement' && String(step) === wanted);
  });
  if (named.length > 0) return named;
  const known = saved.map(({ path }) => path!.split('/').at(-1)).join(', ');
  throw new RetoolError('usage', `${shown(folder)} has no checkpoint "${wanted}".`, {
    hint:
      known === '' ? 'It has saved none; base is the model before training.' : `It has ${known}; or base, last, all.`,
  });
}

const subjectName = ({ path }: CheckpointSubject): string => path?.split('/').at(-1) ?? 'base';

async function evaluateOne(
  run: RunState,
  options: Parameters<typeof evaluateCheckpoint>[1],
  parts: EvaluationsOptions,
  output: Output,
): Promise<'completed' | 'stopped' | 'budget'> {
  const name = subjectName(options.subject);
  const began = performance.now();
  let first: number | undefined;
  const active = await evaluateCheckpoint(parts, options, ({ done, all }) => {
    first ??= done - 1;
    const pace = (performance.now() - began) / 1000 / (done - first);
    output.progress(
      `${name}: ${done.toLocaleString('en')} of ${all.toLocaleString('en')} · ${durationText(pace * (all - done))} left`,
    );
  });
  const { dataset, samples } = active.request.protocol;
  output.say(
    `${name} on ${dataset.name}: ${dataset.problems} problems by ${samples} samples${active.from > 0 ? `, going on after ${active.from}` : ''}.`,
  );
  for (const notice of active.notices) output.say(notice);
  const interrupts = onInterrupt(() => {
    output.say('Stopping. What has been sampled is kept; the same command goes on.');
    active.stop();
  });
  const how = await active.done.finally(() => interrupts.dispose());
  if (how === 'completed') await sayResult(name, active.file, output);
  else output.say(how === 'budget' ? 'The budget of tokens is used up; the same command goes on.' : 'Stopped.');
  output.summary({ evaluation: active.request.id, run: run.id, ended: how, file: active.file });
  return how;
}

const percent = (value: number | undefined): string => (value === undefined ? '–' : `${(value * 100).toFixed(1)} %`);

async function sayResult(name: string, file: string, output: Output): Promise<void> {
  const report = await readEvaluation(file);
  const { samples, average, interval, passAtK, format, codeCalls, infrastructure, cautions } = report;
  const between = interval ? ` (95 % ${percent(interval.low)} to ${percent(interval.high)})` : '';
  const pass = passAtK.get(samples);
  output.say(
    [
      `${name}: average@${samples} ${percent(average)}${between}`,
      ...(samples > 1 && pass !== undefined ? [`pass@${samples} ${percent(pass)}`] : []),
      `format ${percent(format)}`,
      `${codeCalls?.toFixed(2) ?? '–'} calls`,
    ].join(', '),
  );
  if (infrastructure > 0) output.say(`${infrastructure} generations failed by sandbox or service and are left out.`);
  for (const caution of cautions) output.say(caution);
  output.say(`Written to ${shown(file)}`);
}
