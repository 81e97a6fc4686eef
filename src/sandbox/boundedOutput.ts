import { fstatSync, readSync } from 'node:fs';

/** Text of a file of output, as UTF-8; broken bytes become U+FFFD. */
export interface BoundedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/**
 * Reads at most about `limit` bytes of an open file: all of it, or its first quarter and its last three, with the
 * number of bytes between them. A character is never cut.
 */
export function readBounded(file: number, limit: number): BoundedOutput {
  const { size } = fstatSync(file);
  if (size === 0) return { text: '', truncated: false };
  if (size <= limit) return { text: readAt(file, 0, size).toString('utf8'), truncated: false };
  const head = withoutBrokenEnd(readAt(file, 0, Math.floor(limit / 4)));
  const tail = withoutBrokenStart(readAt(file, size - (limit - Math.floor(limit / 4)), limit));
  const left = size - head.length - tail.length;
  return {
    text: `${head.toString('utf8')}\n... ${left} bytes left out ...\n${tail.toString('utf8')}`,
    truncated: true,
  };
}

function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(file, bytes, filled, length - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return bytes.subarray(0, filled);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function withoutBrokenEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead -= 1;
  const byte = bytes[lead] ?? 0;
  const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  return lead + needs > bytes.length ? bytes.subarray(0, lead) : bytes;
}
