import type { KeptOutput } from './brokerFrames';

/** Text of output, as UTF-8; broken bytes become U+FFFD, escape sequences and control characters are left out. */
export interface BoundedOutput {
  readonly text: string;
  readonly truncated: boolean;
}

/** All of a stream, or its head and its tail with the number of bytes between them. A character is never cut. */
export function boundedOutput({ total, head, tail }: KeptOutput): BoundedOutput {
  if (total === 0) return { text: '', truncated: false };
  if (total === head.length) return { text: readable(head.toString('utf8')), truncated: false };
  const first = withoutBrokenEnd(head);
  const last = withoutBrokenStart(tail);
  const left = total - first.length - last.length;
  const [before, after] = [first, last].map((bytes) => readable(bytes.toString('utf8')));
  return { text: `${before}\n... ${left} bytes left out ...\n${after}`, truncated: true };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
// CSI, OSC and the two-letter sequences of ECMA-48, then what is left of control characters.
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Only line ends and tabs are left of the control characters. */
const readable = (text: string) => (control.test(text) ? text.replace(sequences, '') : text);

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
