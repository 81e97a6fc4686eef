import { open, readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { writeFileAtomic } from '../lib/atomicFile';
import { breathe } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { parseJson } from '../lib/parseJson';
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

/** Lines of a file that cannot be read: how many, and the number of the first, from 1. */
export const UnreadLines = z.object({ lines: z.int().min(1), first: z.int().min(1) });
export type UnreadLines = z.infer<typeof UnreadLines>;

/** An index holds for the file of its size alone. */
const Index = z.object({ bytes: z.int(), rows: z.array(RolloutSummary), unread: UnreadLines.optional() });

/** What a file of trajectories holds, and what of it is broken. */
export type RolloutIndex = Pick<z.infer<typeof Index>, 'rows' | 'unread'>;

/** With one line more that cannot be read. @param line its number. */
export const oneMoreUnread = (unread: UnreadLines | undefined, line: number): UnreadLines => ({
  lines: (unread?.lines ?? 0) + 1,
  first: unread?.first ?? line,
});

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
export const writeIndex = (path: string, bytes: number, { rows, unread }: RolloutIndex): Promise<void> =>
  writeFileAtomic(indexOf(path), JSON.stringify({ bytes, rows, unread }));

/**
 * Reads the index of a file of trajectories; makes it anew from the file where it is missing, broken or of another file.
 *
 * @param trajectoriesOf those that a line holds; none where it is about something else, undefined where it is broken.
 * @throws RetoolError `run` when there is no such file.
 */
export async function readIndex(
  path: string,
  trajectoriesOf: (line: unknown) => readonly Trajectory[] | undefined,
): Promise<RolloutIndex> {
  const { size } = await stat(path).catch((error: unknown) => {
    throw new RetoolError('run', `No trajectories are stored at ${path}.`, {
      hint: 'Choose a step or an evaluation that has ended.',
      cause: error,
    });
  });
  const known = Index.safeParse(parseJson(await readFile(indexOf(path), 'utf8').catch(() => '')));
  const fits = ({ offset, length }: RolloutSummary) => offset + length <= size;
  if (known.success && known.data.bytes === size && known.data.rows.every(fits)) {
    const { rows, unread } = known.data;
    return { rows, unread };
  }

  const bytes = await readFile(path);
  const rows: RolloutSummary[] = [];
  let unread: UnreadLines | undefined;
  for (let start = 0, lines = 1; start < bytes.length; lines++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const text = bytes.toString('utf8', start, end);
    const trajectories = text.trim() === '' ? [] : trajectoriesOf(parseJson(text));
    if (!trajectories) unread = oneMoreUnread(unread, lines);
    for (const trajectory of trajectories ?? []) rows.push(summarize(trajectory, start, end - start));
    start = end + 1;
    if (lines % linesAtOnce === 0) await breathe();
  }
  await writeIndex(path, bytes.length, { rows, unread }).catch(() => {});
  return { rows, unread };
}

/** The line of a row; undefined when it is no JSON. */
export async function readLine(path: string, { offset, length }: RolloutSummary): Promise<unknown> {
  await using file = await open(path);
  const bytes = Buffer.alloc(length);
  await file.read(bytes, 0, length, offset);
  return parseJson(bytes.toString('utf8'));
}
