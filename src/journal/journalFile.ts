import { type FileHandle, open } from 'node:fs/promises';
import { RetoolError } from '../lib/errors';
import { type JournalEntry, JournalRecord } from '../schema/journal';

/**
 * The only writer of a journal. Appends whole lines in order; `sync` puts them on the disk.
 *
 * A line that a crash left half written is cut off when the journal is opened again.
 */
export class JournalWriter {
  private readonly file: FileHandle;
  private readonly now: () => Date;
  private seq: number;
  private tail: Promise<unknown> = Promise.resolve();

  private constructor(file: FileHandle, seq: number, now: () => Date) {
    this.file = file;
    this.seq = seq;
    this.now = now;
  }

  static async open(path: string, now: () => Date = () => new Date()): Promise<JournalWriter> {
    try {
      const file = await open(path, 'a+');
      const tail = new JournalTail(path);
      const records = await tail.read();
      await file.truncate(tail.offset);
      return new JournalWriter(file, records.at(-1)?.seq ?? 0, now);
    } catch (error) {
      throw RetoolError.from('disk', `The journal ${path} cannot be opened`, error);
    }
  }

  /** @returns the record as it stands in the file. */
  async append(entry: JournalEntry): Promise<JournalRecord> {
    const record = JournalRecord.parse({ seq: this.seq + 1, time: this.now().toISOString(), ...entry });
    this.seq += 1;
    return this.enqueue(async () => {
      await this.file.appendFile(`${JSON.stringify(record)}\n`);
      return record;
    });
  }

  sync(): Promise<void> {
    return this.enqueue(() => this.file.datasync());
  }

  async close(): Promise<void> {
    await this.enqueue(() => this.file.datasync()).catch(() => {});
    await this.file.close();
  }

  private enqueue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work).catch((error: unknown) => {
      throw RetoolError.from('disk', 'The journal cannot be written', error);
    });
    this.tail = result.catch(() => {});
    return result;
  }
}

/** Reads what was appended since the last call. A half-written last line waits; broken and unknown lines are counted. */
export class JournalTail {
  /** Bytes read so far, up to the end of a line. */
  offset = 0;
  skipped = 0;
  private lines = 0;
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async read(): Promise<JournalRecord[]> {
    await using file = await open(this.path);
    const { size } = await file.stat();
    if (size <= this.offset) return [];
    const bytes = Buffer.alloc(size - this.offset);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, this.offset);
    const end = bytes.lastIndexOf(10, bytesRead - 1) + 1;
    this.offset += end;
    return bytes
      .toString('utf8', 0, end)
      .split('\n')
      .flatMap((line) => this.parse(line));
  }

  private parse(line: string): JournalRecord[] {
    if (line.trim() === '') return [];
    this.lines += 1;
    try {
      const record = JournalRecord.parse(JSON.parse(line));
      // One beyond its line would hide all that follow.
      if (record.seq <= this.lines) return [record];
    } catch {}
    this.skipped += 1;
    return [];
  }
}
