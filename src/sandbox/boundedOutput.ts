import { readableText } from '../lib/readableText';
import type { KeptOutput } from './brokerFrames';

/** Readable text of output, as UTF-8; broken bytes become U+FFFD. */
export interface BoundedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/** All of a stream, or its head and its tail with the number of bytes between them. A character is never cut. */
export function boundedOutput({ total, head, tail }: KeptOutput): BoundedOutput {
  if (total === 0) return { text: '', truncated: false };
  if (total === head.length) return { text: steadyText(head), truncated: false };
  const first = withoutBrokenEnd(head);
  const last = withoutBrokenStart(tail);
  const left = total - first.length - last.length;
  const [before, after] = [first, last].map(steadyText);
  return { text: `${before}\n... ${left} bytes left out ...\n${after}`, truncated: true };
}

/** Where an object lies in memory, as `repr` tells it, says nothing and is another in each run. */
const address = / at 0x[0-9a-f]{6,16}(?=>)/g;

const steadyText = (bytes: Buffer): string => readableText(bytes.toString('utf8')).replaceAll(address, ' at 0x0');

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
