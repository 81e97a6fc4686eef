import { createReadStream } from 'node:fs';
import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../journal/runFolder';
import { isLive, RunLock } from '../journal/runLock';
import { writeFileAtomic } from '../lib/atomicFile';
import { RetoolError } from '../lib/errors';
import { makeFolder } from '../lib/makeFolder';
import { textLines } from '../lib/textLines';
import { EvaluationRequest } from '../schema/evaluation';
import { Trajectory } from '../schema/trajectory';

export const requestFile = 'request.json';
const generationsFile = 'generations.jsonl';

/** `<folder>/<id>`: the request, and the generations until all are there. The results stand beside it, `<id>.jsonl`. */
export const workFolder = (folder: string, id: string): string => join(folder, id);
export const resultFile = (folder: string, id: string): string => join(folder, `${id}.jsonl`);

/** Everything that belongs to an evaluation, its folder last. */
export const evaluationFiles = (folder: string, id: string): string[] => [
  join(folder, `${id}.index.json`),
  resultFile(folder, id),
  workFolder(folder, id),
];

/** What is known of an evaluation from its files. */
export interface KnownEvaluation {
  readonly request: EvaluationRequest;
  readonly status: 'done' | 'running' | 'stopped';
  /** Generations that are there. */
  readonly done: number;
}

/**
 * Every evaluation of a folder that has a request, oldest first. What is broken is left out, and a copy that goes by the
 * name of another.
 *
 * @param onLeftOut is told why, in a sentence each.
 */
export async function listEvaluations(
  folder: string,
  onLeftOut: (why: string) => void = () => {},
): Promise<KnownEvaluation[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => knownEvaluation(folder, name, onLeftOut)),
  );
  return found
    .flatMap((each) => each ?? [])
    .sort((a, b) => a.request.created.localeCompare(b.request.created) || a.request.id.localeCompare(b.request.id));
}

async function knownEvaluation(
  folder: string,
  id: string,
  onLeftOut: (why: string) => void,
): Promise<KnownEvaluation | undefined> {
  const request = await readRequest(folder, id);
  const work = workFolder(folder, id);
  if (request?.id !== id) {
    if (request) onLeftOut(`${work} is left out, for its ${requestFile} names another evaluation: ${request.id}.`);
    else if (await exists(join(work, requestFile))) onLeftOut(`${work} is left out, for its ${requestFile} is broken.`);
    return undefined;
  }
  const all = request.protocol.dataset.problems * request.protocol.samples;
  if (await exists(resultFile(folder, id))) return { request, status: 'done', done: all };
  const [live, done] = await Promise.all([isLive(work), countGenerations(work)]);
  return { request, status: live ? 'running' : 'stopped', done };
}

/** Undefined where there is none, or it is broken. */
export async function readRequest(folder: string, id: string): Promise<EvaluationRequest | undefined> {
  try {
    return EvaluationRequest.parse(JSON.parse(await readFile(join(workFolder(folder, id), requestFile), 'utf8')));
  } catch {
    return undefined;
  }
}

/** What the disk refuses of an evaluation. */
export function notWritten(what: string, error: unknown): RetoolError {
  const { code, message } = RetoolError.from('disk', what, error);
  return new RetoolError(code, message, {
    hint: 'What was sampled before is kept: make room, or the folder writable, and ask for the same again.',
    cause: error,
  });
}

/**
 * Makes the folder of an evaluation and locks it.
 *
 * @throws RetoolError `run` where another process makes it, before anything is written; `disk`.
 */
export async function lockEvaluation(folder: string, { id }: EvaluationRequest): Promise<RunLock> {
  const work = workFolder(folder, id);
  await makeFolder(work).catch((error: unknown) => {
    throw notWritten(`The evaluation ${work} cannot be written`, error);
  });
  return RunLock.take(work, 'evaluation');
}

/**
 * Writes the request, so that it is remembered and can be gone on with.
 *
 * @throws RetoolError `run` where another process makes it, before anything is written; `disk`.
 */
export async function writeRequest(folder: string, request: EvaluationRequest): Promise<void> {
  const work = workFolder(folder, request.id);
  await RunLock.requireFree(work, 'evaluation');
  try {
    await makeFolder(work);
    await writeFileAtomic(join(work, requestFile), `${JSON.stringify(request, null, 2)}\n`);
  } catch (error) {
    throw notWritten(`The evaluation ${work} cannot be written`, error);
  }
}

/** The generations of an evaluation under way: each is a line as soon as it is there. */
export class GenerationLog {
  /** Those that are there, by problem and sample; failures of infrastructure are none. */
  readonly known = new Map<string, Trajectory>();
  private readonly work: string;
  private readonly path: string;
  private queue: Promise<void> = Promise.resolve();

  private constructor(work: string, known: readonly Trajectory[]) {
    this.work = work;
    this.path = join(work, generationsFile);
    for (const trajectory of known) this.known.set(keyOf(trajectory.problemId, trajectory.branch), trajectory);
  }

  /** Begins an evaluation whose folder is locked, or goes on with what is in it. @throws RetoolError `disk`. */
  static async open(folder: string, request: EvaluationRequest): Promise<GenerationLog> {
    const work = workFolder(folder, request.id);
    await writeRequest(folder, request);
    try {
      const known = await readGenerations(work);
      // A crash may have cut the last line: what follows begins a new one.
      if (known.length > 0) await appendFile(join(work, generationsFile), '\n');
      return new GenerationLog(work, known);
    } catch (error) {
      throw notWritten(`The evaluation ${work} cannot be written`, error);
    }
  }

  has(problemId: string, sample: number): boolean {
    return this.known.has(keyOf(problemId, sample));
  }

  append(trajectory: Trajectory): Promise<void> {
    this.queue = this.queue.then(async () => {
      try {
        await appendFile(this.path, `${JSON.stringify(trajectory)}\n`);
      } catch (error) {
        await this.requireThere();
        throw notWritten(`The evaluation cannot be written to ${this.path}`, error);
      }
      this.known.set(keyOf(trajectory.problemId, trajectory.branch), trajectory);
    });
    return this.queue;
  }

  /** @throws RetoolError `run` where the evaluation was deleted or moved while it was made. */
  async requireThere(): Promise<void> {
    if (await exists(join(this.work, requestFile))) return;
    throw new RetoolError('run', `The files of this evaluation are gone from ${this.work}: it cannot go on.`, {
      hint: 'They were deleted or moved while it was made. Put them back, or ask for the same again: it begins anew.',
    });
  }

  /** The results are complete: the generations stand in them. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

/** Bytes. */
const longestLine = 1 << 28;

const keyOf = (problemId: string, sample: number): string => JSON.stringify([problemId, sample]);

const [newline, brace] = [10, 125];

/** Lines that end as an object does, unread: a list asks often, and the lines are long. */
async function countGenerations(work: string): Promise<number> {
  let count = 0;
  let last = newline;
  try {
    for await (const chunk of createReadStream(join(work, generationsFile)) as AsyncIterable<Buffer>) {
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, end + 1)) {
        if ((end > 0 ? chunk[end - 1] : last) === brace) count += 1;
      }
      last = chunk.at(-1) ?? last;
    }
  } catch {
    // None yet.
  }
  return count;
}

/** Whole lines alone: a crash may have cut the last one. */
async function readGenerations(work: string): Promise<Trajectory[]> {
  const path = join(work, generationsFile);
  if (!(await exists(path))) return [];
  const found: Trajectory[] = [];
  for await (const { text } of textLines(path, { longest: longestLine })) {
    if (text === '') continue;
    try {
      found.push(Trajectory.parse(JSON.parse(text)));
    } catch {
      // Sampled again.
    }
  }
  return found;
}
