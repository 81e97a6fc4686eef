import type { FileHandle } from 'node:fs/promises';
import { type AsyncBuffer, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { breathe, stretch } from '../lib/breathe';
import { RetoolError } from '../lib/errors';
import { openUserFile } from '../lib/userFile';
import type { DataRecord } from './recordShapes';
import { missingHint, type RecordFile, type RecordRow } from './records';

/** Opens a Parquet file of any compression. @throws RetoolError `data` when it is damaged. */
export async function openParquet(path: string): Promise<RecordFile> {
  await using file = await openUserFile(path, 'data', missingHint);
  const metadata = await parquetMetadataAsync(await bytesOf(file)).catch(damaged(path));
  const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
  return { unit: 'row', columns, rows: (wanted) => parquetRows(path, wanted ?? columns) };
}

/** Holds one row group of the wanted columns in memory. int64 values are BigInt. */
async function* parquetRows(path: string, columns: readonly string[]): AsyncGenerator<RecordRow> {
  await using handle = await openUserFile(path, 'data', missingHint);
  const file = await bytesOf(handle);
  const metadata = await parquetMetadataAsync(file).catch(damaged(path));
  let number = 0;
  for (const { num_rows } of metadata.row_groups) {
    const rowEnd = number + Number(num_rows);
    const group = { file, metadata, compressors, columns: [...columns], rowStart: number, rowEnd };
    for (const record of (await parquetReadObjects(group).catch(damaged(path))) as DataRecord[]) {
      number += 1;
      if (number % stretch === 0) await breathe();
      yield { number, record };
    }
  }
}

const damaged =
  (path: string) =>
  (error: unknown): never => {
    // What the reader says of itself is no help; what it says of the file is.
    const internal = error instanceof TypeError || error instanceof RangeError;
    const why = internal ? 'it is damaged' : (error as Error).message.replace(/\.+$/, '');
    throw new RetoolError('data', `${path} is no Parquet file that can be read: ${why}.`, {
      hint: 'Fetch it again: it may have been cut or damaged on its way.',
      cause: error,
    });
  };

async function bytesOf(file: FileHandle): Promise<AsyncBuffer> {
  const { size } = await file.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      const bytes = new Uint8Array(Math.max(0, end - start));
      await file.read(bytes, 0, bytes.length, start);
      return bytes.buffer;
    },
  };
}
