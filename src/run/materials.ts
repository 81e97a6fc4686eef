import { createHash } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { readDemonstrations, readProblems } from '../datasets/problemFile';
import { filterInStretches } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { readUserFile } from '../lib/userFile';
import { protocolOf } from '../protocols/protocols';
import { demonstrationDatum } from '../rl/coldStart';
import type { Tokenizer, ToolProtocol } from '../rl/ports';
import type { Experiment, FrozenExperiment } from '../schema/experiment';
import type { Demonstration, Problem } from '../schema/trajectory';
import { missingAmong } from './dataFiles';
import { readExperiment } from './experimentFile';
import type { StartOptions } from './runControl';

/** What a run learns from, read and checked before anything is spent. */
export interface Materials {
  readonly experiment: Experiment;
  readonly frozen: FrozenExperiment;
  readonly protocol: ToolProtocol;
  readonly problems: readonly Problem[];
  readonly evaluation: readonly Problem[];
  readonly demonstrations: readonly Demonstration[];
  /** Problems and demonstrations that leave no room in a trajectory. */
  readonly leftOut: number;
}

/** Fewer tokens than this are no room for a turn. */
const smallestTurn = 8;

/** @throws RetoolError naming the file, line and field that is wrong. */
export async function gatherMaterials(options: StartOptions, tokenizer: Tokenizer): Promise<Materials> {
  const experiment = override(await readExperiment(options.experiment), options.overrides ?? {});
  await requireDataFiles(experiment, options.experiment);
  return readMaterials(experiment, dirname(resolve(options.experiment)), tokenizer, undefined);
}

/** @throws RetoolError `data` when a file is no longer what the run began with. */
export function regatherMaterials(frozen: FrozenExperiment, tokenizer: Tokenizer): Promise<Materials> {
  return readMaterials(frozen.experiment, frozen.folder, tokenizer, frozen.files);
}

/** Names every file that is missing at once, before any is read. */
async function requireDataFiles({ data, coldStart }: Experiment, path: string): Promise<void> {
  const files = [
    { field: 'data.train', path: data.train },
    { field: 'data.evaluation', path: data.evaluation },
    { field: 'coldStart.demonstrations', path: coldStart?.demonstrations },
  ].filter((file): file is { field: string; path: string } => file.path !== undefined);
  const missing = await missingAmong(files, dirname(resolve(path)));
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
): Promise<Materials> {
  const protocol = protocolOf(experiment.protocol, tokenizer);
  const files: Record<string, string> = {};
  const take = async <T>(name: string | undefined, read: (path: string) => Promise<T[]>): Promise<T[]> => {
    if (name === undefined) return [];
    const path = resolve(folder, name);
    const items = await read(path);
    const digest = createHash('sha256')
      .update(await readUserFile(path, 'data'))
      .digest('hex');
    if (expected && expected[name] !== digest) {
      throw new RetoolError('data', `${path} has changed since the run began.`, {
        hint: 'Restore it to resume the run, or start a new run.',
      });
    }
    files[name] = digest;
    return items;
  };
  const train = await take(experiment.data.train, readProblems);
  const held = await take(experiment.data.evaluation, readProblems);
  const demonstrations = await take(experiment.coldStart?.demonstrations, readDemonstrations);

  const limit = experiment.budgets.trajectoryTokens - smallestTurn;
  const fits = (problem: Problem) => protocol.prompt(problem).length <= limit;
  const { budgets, service } = experiment;
  const longest = (demonstration: Demonstration) =>
    demonstrationDatum(demonstration, true, protocol, budgets.observationTokens).tokens.length;
  const materials = {
    problems: await filterInStretches(train, fits),
    demonstrations: await filterInStretches(demonstrations, (each) => longest(each) <= service.context),
  };
  requireSome(materials.problems, train, experiment.data.train, limit);
  if (experiment.coldStart && experiment.coldStart.steps > 0) {
    requireSome(materials.demonstrations, demonstrations, experiment.coldStart.demonstrations, limit);
    requireRoomForCalls(materials.demonstrations, experiment, protocol);
  }
  const evaluation = await filterInStretches(held, fits);
  if (experiment.data.evaluation !== undefined) requireSome(evaluation, held, experiment.data.evaluation, limit);
  const leftOut =
    train.length -
    materials.problems.length +
    (held.length - evaluation.length) +
    (demonstrations.length - materials.demonstrations.length);
  return {
    experiment,
    frozen: { experiment, folder, files },
    protocol,
    ...materials,
    evaluation: evaluation.slice(0, experiment.evaluation.limit),
    leftOut,
  };
}

function requireSome(fitting: readonly unknown[], all: readonly unknown[], file: string, limit: number): void {
  if (fitting.length > 0) return;
  throw new RetoolError('data', `None of the ${all.length} problems of ${file} fits in ${limit} tokens.`, {
    hint: 'Raise budgets.trajectoryTokens and service.context.',
  });
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
