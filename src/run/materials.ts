import { dirname, resolve } from 'node:path';
import { readDemonstrations } from '../datasets/problemFile';
import { filterInStretches } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { digestUserFile } from '../lib/userFile';
import { protocolOf } from '../protocols/protocols';
import { demonstrationDatum } from '../rl/coldStart';
import type { Tokenizer, ToolProtocol } from '../rl/ports';
import type { SetReport } from '../schema/dataReport';
import type { Experiment, FrozenExperiment } from '../schema/experiment';
import type { Demonstration, Problem } from '../schema/trajectory';
import { missingAmong, namedFiles } from './dataFiles';
import { readExperiment } from './experimentFile';
import { type HubAccess, locateFiles } from './hubData';
import { type ProblemSets, type ReadingOptions, readProblemSets } from './problemSets';
import type { StartOptions } from './runControl';

/** What a run learns from, read and checked before anything is spent. */
export interface Materials {
  readonly experiment: Experiment;
  readonly frozen: FrozenExperiment;
  readonly protocol: ToolProtocol;
  readonly problems: readonly Problem[];
  readonly evaluation: readonly Problem[];
  readonly demonstrations: readonly Demonstration[];
  /** What was found in the problem files. */
  readonly reports: readonly SetReport[];
  /** Records that are not used, and demonstrations that do not fit the context. */
  readonly leftOut: ProblemSets['leftOut'] & { readonly demonstrations: number };
}

/** @param purpose as of `readExperiment`. @throws RetoolError naming the file, line and field that is wrong. */
export async function gatherMaterials(
  options: StartOptions,
  tokenizer: Tokenizer,
  purpose: 'run' | 'plan' = 'run',
): Promise<Materials> {
  const experiment = override(await readExperiment(options.experiment, purpose), options.overrides ?? {});
  await requireDataFiles(experiment, options.experiment);
  return readMaterials(experiment, dirname(resolve(options.experiment)), tokenizer, undefined, options);
}

/** @throws RetoolError `data` when a file is no longer what the run began with. */
export function regatherMaterials(
  frozen: FrozenExperiment,
  tokenizer: Tokenizer,
  access: HubAccess = {},
): Promise<Materials> {
  return readMaterials(frozen.experiment, frozen.folder, tokenizer, frozen.files, access);
}

/** Names every file that is missing at once, before any is read. */
export async function requireDataFiles(experiment: Experiment, path: string): Promise<void> {
  const missing = await missingAmong(namedFiles(experiment), dirname(resolve(path)));
  if (missing.length === 0) return;
  const named = missing.map((file) => `${file.path} (${file.field})`).join(', ');
  throw new RetoolError('data', `${path} names files that do not exist: ${named}.`, {
    hint: 'Put them there, or correct their paths: they are relative to the experiment file.',
  });
}

function override(experiment: Experiment, { seed, steps }: NonNullable<StartOptions['overrides']>): Experiment {
  return {
    ...experiment,
    seed: seed ?? experiment.seed,
    reinforcement: { ...experiment.reinforcement, steps: steps ?? experiment.reinforcement.steps },
  };
}

async function readMaterials(
  experiment: Experiment,
  folder: string,
  tokenizer: Tokenizer,
  expected: Readonly<Record<string, string>> | undefined,
  options: ReadingOptions & HubAccess = {},
): Promise<Materials> {
  const protocol = protocolOf(experiment.protocol, tokenizer, experiment);
  const { coldStart, service } = experiment;
  const locate = await locateFiles(experiment, folder, options, expected);
  const files: Record<string, string> = {};
  for (const { path: name } of namedFiles(experiment)) {
    const path = locate(name);
    files[name] = await digestUserFile(path, 'data');
    if (expected && expected[name] !== files[name]) {
      throw new RetoolError('data', `${path} has changed since the run began.`, {
        hint: 'Restore it to resume the run, or start a new run.',
      });
    }
  }
  const sets = await readProblemSets(experiment, locate, protocol, options);
  const { all, fitting: demonstrations } = coldStart
    ? await fittingDemonstrations(locate(coldStart.demonstrations), experiment, protocol)
    : { all: [], fitting: [] };
  if (coldStart && coldStart.steps > 0 && demonstrations.length === 0) {
    const message = `None of the ${all.length.toLocaleString('en')} demonstrations of ${coldStart.demonstrations} fits in ${service.context.toLocaleString('en')} tokens.`;
    throw new RetoolError('data', message, { hint: 'Raise service.context.' });
  }
  if (coldStart && coldStart.steps > 0) requireRoomForCalls(demonstrations, experiment, protocol);
  return {
    experiment,
    frozen: { experiment, folder, files },
    protocol,
    problems: sets.problems,
    evaluation: sets.evaluation.slice(0, experiment.evaluation.limit),
    demonstrations,
    reports: sets.reports,
    leftOut: { ...sets.leftOut, demonstrations: all.length - demonstrations.length },
  };
}

/** All demonstrations of a file, and those that fit the context. @throws RetoolError `data` naming file, line and field. */
export async function fittingDemonstrations(
  path: string,
  { budgets, service }: Experiment,
  protocol: ToolProtocol,
): Promise<{ readonly all: readonly Demonstration[]; readonly fitting: readonly Demonstration[] }> {
  const all = await readDemonstrations(path);
  const length = (demonstration: Demonstration) =>
    demonstrationDatum(demonstration, true, protocol, budgets.observationTokens).tokens.length;
  return { all, fitting: await filterInStretches(all, (each) => length(each) <= service.context) };
}

/** A protocol that spells its calls out takes more tokens: a policy that is taught to call must be let finish one. */
function requireRoomForCalls(
  demonstrations: readonly Demonstration[],
  { budgets: { turnTokens }, protocol: name }: Experiment,
  protocol: ToolProtocol,
): void {
  const shortest = Math.min(...demonstrations.map(({ code }) => protocol.call(code).length));
  if (shortest <= turnTokens) return;
  throw new RetoolError(
    'config',
    `budgets.turnTokens is ${turnTokens}, but in the protocol ${name} the shortest call of the demonstrations takes ${shortest} tokens.`,
    { hint: `Raise budgets.turnTokens to ${shortest} or more.` },
  );
}
