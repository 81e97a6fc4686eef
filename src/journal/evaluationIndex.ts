import { open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { Trajectory } from '../schema/trajectory';
import { indexOf, parseJson, RolloutSummary, summarize } from './rolloutFile';

/** What of a line of an evaluation is read here: the trajectories of one problem. */
const EvaluatedProblem = z.object({
  type: z.literal('problem'),
  problem_id: z.string(),
  generations: z.array(z.object({ trajectory: Trajectory })),
});

/** Lines that are read before others get their turn. */
const stretch = 16;

/**
 * The trajectories of an evaluation, in its order. `offset` and `length` are those of the line of their problem. The
 * index is made when it is first asked for, and kept beside the file.
 *
 * @throws RetoolError `run` when the evaluation was not written.
 */
export async function readEvaluationIndex(path: string): Promise<RolloutSummary[]> {
  try {
    return z.array(RolloutSummary).parse(JSON.parse(await readFile(indexOf(path), 'utf8')));
  } catch {
    const rows = await makeIndex(path);
    await writeFileAtomic(indexOf(path), JSON.stringify(rows)).catch(() => {});
    return rows;
  }
}

async function makeIndex(path: string): Promise<RolloutSummary[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new RetoolError('run', `No evaluation is stored at ${path}.`, {
      hint: 'Choose one that has ended.',
      cause: error,
    });
  });
  const rows: RolloutSummary[] = [];
  let lines = 0;
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const parsed = EvaluatedProblem.safeParse(parseJson(bytes.toString('utf8', start, end)));
    for (const { trajectory } of parsed.data?.generations ?? []) rows.push(summarize(trajectory, start, end - start));
    start = end + 1;
    lines += 1;
    if (lines % stretch === 0) await breathe();
  }
  return rows;
}

/** @throws RetoolError `run` when the line does not hold that trajectory. */
export async function readEvaluated(path: string, { offset, length, branch }: RolloutSummary): Promise<Trajectory> {
  await using file = await open(path);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, offset);
  const parsed = EvaluatedProblem.safeParse(parseJson(bytes.toString('utf8')));
  const found = parsed.data?.generations.find(({ trajectory }) => trajectory.branch === branch);
  if (!found) throw new RetoolError('run', `The trajectories at byte ${offset} of ${path} are broken.`);
  return found.trajectory;
}
