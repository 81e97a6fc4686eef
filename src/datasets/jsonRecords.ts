import { isSafeNumber, parse } from 'lossless-json';
import { breathe, stretch } from '../lib/breathe';
import { textLines } from '../lib/textLines';
import type { DataRecord } from './recordShapes';
import { lineHint, longestLine, missingHint, type RecordRow } from './records';

/** One JSON object a line; blank lines are skipped. */
export async function* jsonLines(path: string): AsyncGenerator<RecordRow> {
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
    else yield { number, record: withoutLoss(text, value as DataRecord) };
  }
}

/** Numbers that a double does not hold are read as the text that they are written as. */
function withoutLoss(text: string, value: DataRecord): DataRecord {
  if (!/\d{16}/.test(text.replaceAll('.', ''))) return value;
  const exact = (digits: string) =>
    isSafeNumber(digits) || !Number.isFinite(Number(digits)) ? Number(digits) : digits;
  try {
    return parse(text, undefined, exact) as DataRecord;
  } catch {
    return value; // a field is given twice, of which the last one counts
  }
}
