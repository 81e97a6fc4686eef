import { open } from 'node:fs/promises';
import { EvaluationSummary } from '../schema/evaluation';

/** Bytes at the end of a file within which its summary lies. */
const summaryAtMost = 1 << 16;

/** The last line of an evaluation file, without reading the rest; undefined where there is none or it is broken. */
export async function readSummary(path: string): Promise<EvaluationSummary | undefined> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const start = Math.max(0, size - summaryAtMost);
    const bytes = Buffer.alloc(size - start);
    await file.read(bytes, 0, bytes.length, start);
    const lines = bytes.toString('utf8').trimEnd().split('\n');
    return EvaluationSummary.parse(JSON.parse(lines.at(-1)!));
  } catch {
    return undefined;
  }
}
