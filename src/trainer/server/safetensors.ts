import { createHash } from 'node:crypto';
import type { ModelState, Tensor } from '../engine';

/** What stands in the way of reading a file, as the end of a sentence about it. */
export class BrokenFile extends Error {
  override readonly name = 'BrokenFile';
}

interface Entry {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

interface SafetensorsHeader {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, Entry>;
  /** Where the tensors' bytes begin, from the start of the file. */
  readonly dataStart: number;
}

const lengthBytes = 8;
const maximumHeaderBytes = 100_000_000;

/**
 * Writes float32 tensors, by name in code unit order, so that equal states give equal bytes, and their checksum.
 *
 * @see https://huggingface.co/docs/safetensors — 8 bytes of header length, a JSON header padded to 8 bytes, the data.
 */
export function encodeSafetensors(state: ModelState, metadata: Readonly<Record<string, string>>): Uint8Array {
  const tensors = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  const views = tensors.map(([, { data }]) => new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: { ...metadata, sha256: digest(views) } };
  for (const [name, { shape, data }] of tensors) {
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + data.byteLength] };
    offset += data.byteLength;
  }
  const json = Buffer.from(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / lengthBytes) * lengthBytes;
  const file = Buffer.alloc(lengthBytes + headerBytes + offset, ' ');
  file.writeBigUInt64LE(BigInt(headerBytes));
  json.copy(file, lengthBytes);
  let at = lengthBytes + headerBytes;
  for (const bytes of views) {
    file.set(bytes, at);
    at += bytes.byteLength;
  }
  return file;
}

/** Safetensors has no checksum of its own: ours is of all bytes after the header. */
function digest(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/**
 * Reads what `encodeSafetensors` wrote.
 *
 * @throws BrokenFile when the header cannot be read, the file is not as long as it says, or a byte of the data differs.
 */
export function decodeSafetensors(file: Uint8Array): { metadata: Readonly<Record<string, string>>; state: ModelState } {
  const { metadata, tensors, dataStart } = decodeHeader(file);
  if (metadata.sha256 === undefined) throw new BrokenFile('its header has no checksum');
  if (metadata.sha256 !== digest([file.subarray(dataStart)]))
    throw new BrokenFile('its data do not match its checksum');
  const state = new Map<string, Tensor>();
  for (const [name, { shape, data_offsets: offsets }] of tensors) {
    const bytes = new Uint8Array(file.subarray(dataStart + offsets[0], dataStart + offsets[1]));
    state.set(name, { shape, data: new Float32Array(bytes.buffer) });
  }
  return { metadata, state };
}

function decodeHeader(file: Uint8Array): SafetensorsHeader {
  if (file.length < lengthBytes) throw new BrokenFile(`it has only ${file.length} bytes`);
  const length = Buffer.from(file.buffer, file.byteOffset, lengthBytes).readBigUInt64LE();
  if (length > maximumHeaderBytes) throw new BrokenFile('it does not begin as a safetensors file does');
  const dataStart = lengthBytes + Number(length);
  if (file.length < dataStart) throw new BrokenFile(`it ends inside its header, after ${file.length} bytes`);
  const { __metadata__: metadata = {}, ...rest } = parseHeader(file.subarray(lengthBytes, dataStart));
  const tensors = new Map(Object.entries(rest as unknown as Record<string, Entry>));
  let end = 0;
  for (const [name, entry] of tensors) {
    if (!isEntry(entry)) throw new BrokenFile(`its header does not say where ${name} is`);
    end = Math.max(end, entry.data_offsets[1]);
  }
  if (file.length !== dataStart + end)
    throw new BrokenFile(`it has ${file.length} bytes instead of ${dataStart + end}`);
  return { metadata: metadata as Record<string, string>, tensors, dataStart };
}

function parseHeader(json: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json));
    if (typeof header === 'object' && header !== null) return header as Record<string, unknown>;
  } catch {
    // Said below: how the JSON is broken helps nobody.
  }
  throw new BrokenFile('its header is not JSON');
}

function isEntry(entry: unknown): entry is Entry {
  const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Partial<Entry>;
  if (dtype !== 'F32' || !Array.isArray(shape) || !Array.isArray(offsets)) return false;
  const [from, to] = offsets as number[];
  const size = shape.reduce((product: number, side: number) => product * side, 1) * 4;
  return Number.isSafeInteger(from) && from! >= 0 && to! - from! === size;
}
