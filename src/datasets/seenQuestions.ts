import { hash } from 'node:crypto';

/** Numbers of 32 bits that are kept of a question: its hash (4), its first answer (4), its first row, its rows. */
const words = 10;
const answerAt = 4;
const rowAt = 8;
const countAt = 9;

/** Longest answer, bytes, that is kept as it is. Of a longer one there is a hash. */
const shortAnswer = 15;
const hashed = 255;

/** What was known of a question when it came up again. */
export interface Sighting {
  /** Number of the question among the distinct ones, from 0. */
  readonly index: number;
  readonly isNew: boolean;
  /** Whether the answer is the one that it had first. */
  readonly sameAnswer: boolean;
}

/**
 * A text as it is compared: Unicode NFC, white space at the ends dropped and within read as one space. Case is kept, for
 * in mathematics N and n are two things.
 */
export const normalized = (text: string): string =>
  text
    .normalize('NFC')
    .trim()
    .replaceAll(/\s{2,}|[^\S ]/g, ' ');

/**
 * The questions of a stream, each kept as 40 bytes whatever its length: 128 bits of SHA-256 (two of a billion questions
 * agree by chance once in 10^20), its first answer, the row that it was first in, and how often it came. An open hash
 * table; growing doubles it.
 */
export class SeenQuestions {
  private data = new Uint32Array(words * 1024);
  private slots = new Int32Array(2048).fill(-1);
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Memory that the table takes. */
  get bytes(): number {
    return this.data.byteLength + this.slots.byteLength;
  }

  /** @param question and answer, as they are compared. @param row from 1. */
  see(question: string, answer: string, row: number): Sighting {
    const key = digest(question);
    const packed = packedAnswer(answer);
    const slot = this.slotOf(key);
    const known = this.slots[slot]!;
    if (known >= 0) {
      const at = known * words;
      this.data[at + countAt]! += 1;
      const sameAnswer = packed.every((word, i) => this.data[at + answerAt + i] === word);
      return { index: known, isNew: false, sameAnswer };
    }
    const index = this.count++;
    this.slots[slot] = index;
    if ((index + 1) * words > this.data.length) this.data = grown(this.data);
    this.data.set(key, index * words);
    this.data.set(packed, index * words + answerAt);
    this.data[index * words + rowAt] = row;
    this.data[index * words + countAt] = 1;
    if (this.count * 2 > this.slots.length) this.rehash();
    return { index, isNew: true, sameAnswer: true };
  }

  /** @returns the number of a question, as it is compared; undefined for one that was not seen. */
  find(question: string): number | undefined {
    const known = this.slots[this.slotOf(digest(question))]!;
    return known < 0 ? undefined : known;
  }

  firstRow(index: number): number {
    return this.data[index * words + rowAt]!;
  }

  /** Rows that asked it. */
  rowsOf(index: number): number {
    return this.data[index * words + countAt]!;
  }

  /** Undefined where it was too long to be kept. */
  firstAnswer(index: number): string | undefined {
    const from = index * words + answerAt;
    const bytes = new Uint8Array(this.data.slice(from, from + 4).buffer);
    return bytes[0] === hashed ? undefined : Buffer.from(bytes.subarray(1, 1 + bytes[0]!)).toString('utf8');
  }

  /** The slot that holds the key, or the empty one where it belongs. */
  private slotOf(key: Uint32Array): number {
    const mask = this.slots.length - 1;
    let slot = key[0]! & mask;
    for (let index = this.slots[slot]!; index >= 0; index = this.slots[slot]!) {
      const at = index * words;
      if (key.every((word, i) => this.data[at + i] === word)) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    for (let index = 0; index < this.count; index++) {
      this.slots[this.slotOf(this.data.subarray(index * words, index * words + 4))] = index;
    }
  }
}

function digest(text: string): Uint32Array {
  const bytes = hash('sha256', text, 'buffer');
  return new Uint32Array([0, 4, 8, 12].map((at) => bytes.readUInt32LE(at)));
}

/** Four numbers that equal answers have in common: a length and the bytes, or a mark and a hash. */
function packedAnswer(answer: string): Uint32Array {
  const bytes = new Uint8Array(16);
  const text = Buffer.from(answer, 'utf8');
  bytes[0] = text.length <= shortAnswer ? text.length : hashed;
  bytes.set(text.length <= shortAnswer ? text : hash('sha256', text, 'buffer').subarray(0, shortAnswer), 1);
  return new Uint32Array(bytes.buffer);
}

function grown(data: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(data.length * 2);
  larger.set(data);
  return larger;
}
