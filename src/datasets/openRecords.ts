import { openUserFile } from '../lib/userFile';
import { jsonLines } from './jsonRecords';
import { missingHint, type RecordFile } from './records';

/** Opens a file of JSON lines or of Parquet, told apart by how it begins. @throws RetoolError `data`. */
export async function openRecords(path: string): Promise<RecordFile> {
  const first = Buffer.alloc(4);
  {
    await using file = await openUserFile(path, 'data', missingHint);
    await file.read(first, 0, 4, 0);
  }
  if (first.toString('latin1') !== 'PAR1') return { unit: 'line', columns: undefined, rows: () => jsonLines(path) };
  const { openParquet } = await import('./parquetRecords');
  return openParquet(path);
}
