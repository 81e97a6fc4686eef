import { open, readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { type Trajectory, tokensIn } from '../schema/trajectory';

/** A row of the index of a file of trajectories: what lists show, and where its line lies (bytes, without its end). */
export const RolloutSummary = z.object({
  problemId: z.string(),
  branch: z.int(),
  kind: z.string().optional(),
  offset: z.int().min(0),
  length: z.int().min(1),
  verdict: z.enum(['correct', 'incorrect', 'unknown']),
  predicted: z.string().nullable(),
  gold: z.string(),
  reward: z.number(),
  advantage: z.number(),
  calls: z.int(),
  tokens: z.int(),
  stop: z.string(),
  /** Of a file of results: reward, advantage and why it stopped are not known. */
  imported: z.literal(true).optional(),
});
export type RolloutSummary = z.infer<typeof RolloutSummary>;

/** An index holds for the file of its size alone. */
const Index = z.object({ bytes: z.int(), rows: z.array(RolloutSummary) });

const indexOf = (path: string) => path.replace(/\.jsonl$/, '.index.json');

/** Lines that are read or written before others get their turn: a trajectory can be long. */
export const linesAtOnce = 16;

/** What a list shows of a trajectory. @param offset, @param length of its line, bytes. */
export function summarize(trajectory: Trajectory, offset: number, length: number): RolloutSummary {
  const { problemId, branch, kind, grade, gold, advantage, turns, stop, imported } = trajectory;
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
    calls: imported?.calls ?? turns.filter((turn) => turn.result !== undefined).length,
    tokens: tokensIn(trajectory),
    stop,
    ...(imported && { imported: true as const }),
  };
}

/** @param bytes of the file at `path`. */
export const writeIndex = (path: string, bytes: number, rows: readonly RolloutSummary[]): Promise<void> =>
  writeFileAtomic(indexOf(path), JSON.stringify({ bytes, rows }));

/**
 * Reads the index of a file of trajectories; makes it anew from the file where it is missing, broken or of another file.
 *
 * @param trajectoriesOf those that a line holds; none where it is broken or about something else.
 * @throws RetoolError `run` when there is no such file.
 */
export async function readIndex(
  path: string,
  trajectoriesOf: (line: unknown) => readonly Trajectory[],
): Promise<RolloutSummary[]> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw new RetoolError('run', `No trajectories are stored at ${path}.`, {
      hint: 'Choose a step or an evaluation that has ended.',
      cause: error,
    });
  });
  const known = Index.safeParse(parseJson(await readFile(indexOf(path), 'utf8').catch(() => '')));
  const fits = ({ offset, length }: RolloutSummary) => offset + length <= size;
  if (known.success && known.data.bytes === size && known.data.rows.every(fits)) return known.data.rows;

  const bytes = await readFile(path);
  const rows: RolloutSummary[] = [];
  for (let start = 0, lines = 1; start < bytes.length; lines++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const trajectories = trajectoriesOf(parseJson(bytes.toString('utf8', start, end)));
    for (const trajectory of trajectories) rows.push(summarize(trajectory, start, end - start));
    start = end + 1;
    if (lines % linesAtOnce === 0) await breathe();
  }
  await writeIndex(path, bytes.length, rows).catch(() => {});
  return rows;
}

/** The line of a row; undefined when it is no JSON. */
export async function readLine(path: string, { offset, length }: RolloutSummary): Promise<unknown> {
  await using file = await open(path);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, offset);
  return parseJson(bytes.toString('utf8'));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
