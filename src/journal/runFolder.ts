import { randomBytes } from 'node:crypto';
import { access, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { shellQuoted } from '../lib/shellQuoted';
import { readUserText } from '../lib/userFile';
import { FrozenExperiment } from '../schema/experiment';

/** Where the parts of a run lie below its folder. */
export const runPaths = {
  experiment: 'experiment.json',
  journal: 'journal.jsonl',
  lock: 'lock.json',
  rollouts: 'rollouts',
  checkpoints: 'checkpoints',
  evaluations: 'evaluations',
} as const;

/** `<workspace>/.retool/evaluations`: those that belong to no run. */
export const evaluationsFolderOf = (workspace: string): string => join(workspace, '.retool', 'evaluations');

/** `<workspace>/.retool/runs`. */
export const runsFolderOf = (workspace: string): string => join(workspace, '.retool', 'runs');

export const rolloutFile = (run: string, step: number): string =>
  join(run, runPaths.rollouts, `${String(step).padStart(6, '0')}.jsonl`);

export const evaluationFile = (run: string, id: string): string => join(run, runPaths.evaluations, `${id}.jsonl`);

/**
 * Makes a new run folder below `runs`, named for the moment and the experiment, and freezes the experiment in it.
 *
 * @throws RetoolError `run` when `folder` is given and already holds a run.
 */
export async function createRunFolder(
  runs: string,
  frozen: FrozenExperiment,
  now: Date,
  folder?: string,
): Promise<string> {
  const run = folder ?? join(runs, runId(frozen.experiment.name, now));
  if (await exists(join(run, runPaths.journal))) {
    throw new RetoolError('run', `${run} already holds a run.`, {
      hint: `Go on with it by 'retool resume ${shellQuoted(run)}', or give another --run-dir.`,
    });
  }
  const empty = folder !== undefined && (await exists(folder));
  if (folder !== undefined && (await readdir(folder).catch(() => [])).length > 0) {
    throw new RetoolError('run', `${run} is not empty and holds no run.`, { hint: 'Give a new folder as --run-dir.' });
  }
  try {
    await makeFolders(run);
    if (folder === undefined) await keepOutOfGit(join(runs, '..'));
    await writeFileAtomic(join(run, runPaths.experiment), `${JSON.stringify(frozen, null, 2)}\n`);
  } catch (error) {
    // What is half made would be in the way of another try.
    const made = empty ? Object.values(runPaths).map((name) => join(run, name)) : [run];
    for (const path of made) await rm(path, { recursive: true, force: true }).catch(() => {});
    throw RetoolError.from('disk', `The run folder ${run} cannot be made`, error);
  }
  return run;
}

/** Makes the folders that a run writes to, where they are missing. */
export async function makeFolders(run: string): Promise<void> {
  for (const name of [runPaths.rollouts, runPaths.evaluations]) await mkdir(join(run, name), { recursive: true });
}

function runId(name: string, now: Date): string {
  const moment = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const slug = beginning(name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-'), 160);
  return `${moment}-${slug}-${randomBytes(2).toString('hex')}`;
}

/** As much of a text as fits in `most` bytes: file systems count the name of a folder in them, up to 255. */
function beginning(text: string, most: number): string {
  const characters = Array.from(text);
  while (Buffer.byteLength(characters.join('')) > most) characters.pop();
  return characters.join('');
}

/** @param folder `.retool`. */
export async function keepOutOfGit(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** @throws RetoolError `run` when the folder is not a run, naming what is missing or broken. */
export async function readFrozenExperiment(run: string): Promise<FrozenExperiment> {
  const path = join(run, runPaths.experiment);
  const hint = "Give a folder that 'retool train' made; it holds experiment.json and journal.jsonl.";
  let text: string;
  try {
    text = await readUserText(path, 'run', hint);
  } catch (error) {
    if (await exists(path)) throw error;
    throw new RetoolError('run', `${run} is not a run folder: it has no ${basename(path)}.`, { hint });
  }
  try {
    return FrozenExperiment.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? firstIssue(error) : 'it is not JSON';
    throw new RetoolError('run', `${path} is broken: ${why}.`, { hint, cause: error });
  }
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.')}: ${issue.message}` : 'it does not fit';
}

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
