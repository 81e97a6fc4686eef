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

interface Numbered {
  readonly record: JournalRecord;
  readonly line: number;
}

/** Bytes that are read at once. */
const piece = 4 << 20;

/** Reads what was appended since the last call. A half-written last line waits; broken and unknown lines are counted. */
export class JournalTail {
  /** Bytes read so far, up to the end of a line. */
  offset = 0;
  skipped = 0;
  private lines = 0;
  /** How far numbers have been proved to run before their lines, by lines that are gone. */
  private ahead = 0;
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async read(): Promise<JournalRecord[]> {
    await using file = await open(this.path);
    const { size } = await file.stat();
    const numbered: Numbered[] = [];
    for (let length = piece; this.offset < size; ) {
      const bytes = Buffer.allocUnsafe(Math.min(length, size - this.offset));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, this.offset);
      const end = bytesRead === 0 ? 0 : bytes.lastIndexOf(10, bytesRead - 1) + 1;
      if (end === 0 && this.offset + bytesRead >= size) break;
      if (end === 0) length *= 2;
      const text = bytes.toString('utf8', 0, end);
      this.offset += end;
      for (const line of text.split('\n')) this.parse(line, numbered);
    }
    return numbered.filter((each, i) => this.fits(each, numbered[i + 1])).map(({ record }) => record);
  }

  private parse(line: string, numbered: Numbered[]): void {
    const text = this.lines === 0 ? line.replace(/^\uFEFF/, '') : line;
    if (text.trim() === '') return;
    this.lines += 1;
    try {
      numbered.push({ record: JournalRecord.parse(JSON.parse(text)), line: this.lines });
    } catch {
      this.skipped += 1;
    }
  }

  /** A number beyond its line would hide all that follow, unless the next one goes on from it: then lines are gone. */
  private fits({ record: { seq }, line }: Numbered, next: Numbered | undefined): boolean {
    if (seq <= line + this.ahead) return true;
    if (next?.record.seq === seq + 1) this.ahead = seq - line;
    else this.skipped += 1;
    return seq <= line + this.ahead;
  }
}
