import { open, readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { Trajectory } from '../schema/trajectory';

/** A row of the index of a rollout file: what lists show, and where the record lies (bytes). */
export const RolloutSummary = z.object({
  problemId: z.string(),
  branch: z.int(),
  kind: z.string().optional(),
  offset: z.int(),
  length: z.int(),
  verdict: z.enum(['correct', 'incorrect', 'unknown']),
  predicted: z.string().nullable(),
  gold: z.string(),
  reward: z.number(),
  advantage: z.number(),
  calls: z.int(),
  tokens: z.int(),
  stop: z.string(),
});
export type RolloutSummary = z.infer<typeof RolloutSummary>;

/** A trajectory can be long. */
const rolloutStretch = 16;

/** The index beside a file of trajectories. */
export const indexOf = (path: string) => path.replace(/\.jsonl$/, '.index.json');

/** Writes the trajectories of a step or evaluation, one a line, and the index of their byte offsets. */
export async function writeRollouts(path: string, trajectories: readonly Trajectory[]): Promise<void> {
  const lines: Buffer[] = [];
  const index: RolloutSummary[] = [];
  let offset = 0;
  for (const [i, trajectory] of trajectories.entries()) {
    if (i % rolloutStretch === 0) await breathe();
    const line = Buffer.from(`${JSON.stringify(trajectory)}\n`);
    index.push(summarize(trajectory, offset, line.length));
    lines.push(line);
    offset += line.length;
  }
  try {
    await writeFileAtomic(path, Buffer.concat(lines));
    await writeFileAtomic(indexOf(path), JSON.stringify(index));
  } catch (error) {
    throw RetoolError.from('disk', `The trajectories cannot be written`, error);
  }
}

/** What a list shows of a trajectory. @param offset, @param length of its line, bytes. */
export function summarize(trajectory: Trajectory, offset: number, length: number): RolloutSummary {
  const { problemId, branch, kind, grade, gold, advantage, prompt, turns, stop } = trajectory;
  return {
    problemId,
    branch,
    ...(kind === undefined ? {} : { kind }),
    offset,
    length,
    verdict: grade.verdict,
    predicted: grade.predicted,
    gold,
    reward: grade.reward,
    advantage,
    calls: turns.filter((turn) => turn.result !== undefined).length,
    tokens: turns.reduce((sum, turn) => sum + turn.tokens.length + turn.added.length, prompt.length),
    stop,
  };
}

/** Reads the index of a rollout file; makes it anew from the file itself where it is missing or broken. */
export async function readRolloutIndex(path: string): Promise<RolloutSummary[]> {
  try {
    const rows = z.array(RolloutSummary).parse(JSON.parse(await readFile(indexOf(path), 'utf8')));
    if (covers(rows, (await stat(path)).size)) return rows;
  } catch {}
  const rows = await rebuildIndex(path);
  await writeFileAtomic(indexOf(path), JSON.stringify(rows)).catch(() => {});
  return rows;
}

/** True when the rows lie one behind the other and end where the file of `size` bytes does. */
function covers(rows: readonly RolloutSummary[], size: number): boolean {
  let end = 0;
  for (const { offset, length } of rows) {
    if (offset !== end || length <= 0) return false;
    end += length;
  }
  return end === size;
}

async function rebuildIndex(path: string): Promise<RolloutSummary[]> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new RetoolError('run', `No trajectories are stored at ${path}.`, {
      hint: 'Choose a step that has ended.',
      cause: error,
    });
  });
  const rows: RolloutSummary[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(10, start);
    if (end < 0) break;
    const parsed = Trajectory.safeParse(parseJson(bytes.toString('utf8', start, end)));
    if (parsed.success) rows.push(summarize(parsed.data, start, end + 1 - start));
    start = end + 1;
  }
  return rows;
}

/** @throws RetoolError `run` when its line is broken. */
export async function readRollout(path: string, row: RolloutSummary): Promise<Trajectory> {
  await using file = await open(path);
  const bytes = Buffer.alloc(row.length);
  await file.read(bytes, 0, row.length, row.offset);
  const parsed = Trajectory.safeParse(parseJson(bytes.toString('utf8')));
  if (!parsed.success) throw new RetoolError('run', `The trajectory at byte ${row.offset} of ${path} is broken.`);
  return parsed.data;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
