import { resolve } from 'node:path';
import { durationText } from '../journal/forecast';
import { readRun } from '../journal/readRun';
import { RetoolError } from '../lib/errors';
import { readEvaluation } from '../run/evaluationReport';
import { heldOutSet } from '../run/evaluationSets';
import { type CheckpointSubject, type EvaluationsOptions, evaluateCheckpoint } from '../run/evaluations';
import { EvaluationMode } from '../schema/evaluation';
import type { RunState } from '../schema/runState';
import { readArguments, realNumber, wholeNumber } from './arguments';
import { commandHelp } from './help';
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
