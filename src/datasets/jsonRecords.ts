import { breathe, stretch } from '../lib/breathe';
import { textLines } from '../lib/textLines';
import type { DataRecord } from './recordShapes';
import { lineHint, longestLine, missingHint, type RecordRow } from './records';

/** One JSON object a line; blank lines are skipped. */
export async function* jsonLines(path: string): AsyncGenerator<RecordRow & { readonly text?: string }> {
  for await (const { number, text: line } of textLines(path, { longest: longestLine, missingHint, lineHint })) {
    if (number % stretch === 0) await breathe();
    const text = line.trim();
    if (text === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      yield { number, fault: 'not JSON.' };
      continue;
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      yield { number, fault: 'not a JSON object.' };
    else yield { number, record: value as DataRecord, text };
  }
}
