import { resolve } from 'node:path';
import { readRun } from '../journal/readRun';
import { RetoolError } from '../lib/errors';
import type { CheckpointSubject } from '../run/evaluationRequests';
import { heldOutSet } from '../run/evaluationSets';
import { type EvaluationsOptions, evaluateCheckpoint } from '../run/evaluations';
import type { EvaluationEnd } from '../run/evaluationWork';
import { EvaluationMode } from '../schema/evaluation';
import type { RunState } from '../schema/runState';
import { readArguments, realNumber, wholeNumber } from './arguments';
import { evaluateAtEndpoint } from './evaluateAtEndpoint';
import { type Begin, followEvaluation } from './followEvaluation';
import { commandHelp } from './help';
import { hubAccess } from './hubAccess';
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
    { least: 0, most: 1 },
    {
      json: { type: 'boolean' },
      endpoint: { type: 'string' },
      model: { type: 'string' },
      experiment: { type: 'string' },
      tools: { type: 'string' },
      api: { type: 'string' },
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
  const choices = {
    mode: modeOf(values.mode),
    samples: wholeNumber('--samples', values.samples, 1, 1024),
    temperature: realNumber('--temperature', values.temperature, 0, 100),
    topP: realNumber('--top-p', values['top-p'], 1e-6, 1),
    topK: wholeNumber('--top-k', values['top-k'], 1),
    seed: wholeNumber('--seed', values.seed, 0, 2_147_483_647),
    limit: wholeNumber('--limit', values.limit, 1),
  };
  const manner = {
    ...hubAccess(values.hub, output),
    chunk: wholeNumber('--chunk', values.chunk, 1),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 4096),
    mostTokens: wholeNumber('--most-tokens', values['most-tokens'], 1),
    python: values.python,
    allowUnsafeSandbox: values['allow-unsafe-sandbox'] === true,
  };
  const [folder] = positionals;
  if (values.endpoint !== undefined) {
    if (folder !== undefined) throw notBoth();
    if (values.checkpoint !== undefined) throw notBoth('--checkpoint is for a run, not for --endpoint');
    const how = await evaluateAtEndpoint(
      { ...values, endpoint: values.endpoint, dataset: values.dataset, choices, manner },
      parts,
      output,
    );
    return how === 'completed' ? exitCode.done : exitCode.interrupted;
  }
  for (const name of ['model', 'experiment', 'tools', 'api'] as const) {
    if (values[name] !== undefined) throw notBoth(`--${name} is for --endpoint`);
  }
  if (folder === undefined) throw new RetoolError('usage', `Usage: ${commandHelp.evaluate.usage}`);
  const run = await readRun(resolve(folder));
  const options = { run: run.folder, dataset: values.dataset ?? heldOutSet, choices, ...manner };
  const ended = [];
  for (const subject of subjectsOf(run, values.checkpoint ?? 'last')) {
    ended.push(await evaluateOne(run, { ...options, subject }, parts, output));
    if (ended.at(-1) === 'stopped') break;
  }
  return ended.every((how) => how === 'completed') ? exitCode.done : exitCode.interrupted;
}

const notBoth = (why = 'A run is evaluated, or a model at an endpoint') =>
  new RetoolError('usage', `${why}.`, { hint: "'retool evaluate --help' has both." });

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
    return path?.endsWith(`/${wanted}`) || (phase === 'reinforcement' && String(step) === wanted.replace(/^step-/, ''));
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
): Promise<EvaluationEnd> {
  const begin: Begin = (onProgress, onSilence) => evaluateCheckpoint(parts, { ...options, onSilence }, onProgress);
  return followEvaluation(subjectName(options.subject), begin, output, { run: run.id });
}
