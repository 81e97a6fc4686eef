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

export interface SafetensorsHeader {
  readonly metadata: Readonly<Record<string, string>>;
  readonly tensors: ReadonlyMap<string, Entry>;
  /** Where the tensors' bytes begin, from the start of the file. */
  readonly dataStart: number;
  readonly fileBytes: number;
}

const lengthBytes = 8;
const maximumHeaderBytes = 100_000_000;

/**
 * Writes float32 tensors, by name in code unit order, so that equal states give equal bytes.
 *
 * @see https://huggingface.co/docs/safetensors — 8 bytes of header length, a JSON header padded to 8 bytes, the data.
 */
export function encodeSafetensors(state: ModelState, metadata: Readonly<Record<string, string>>): Uint8Array {
  const tensors = [...state].sort(([a], [b]) => (a < b ? -1 : 1));
  let offset = 0;
  const header: Record<string, unknown> = { __metadata__: metadata };
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
  for (const [, { data }] of tensors) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return file;
}

/** @returns how many bytes of the file hold the header, from its first eight. */
export function headerEnd(start: Uint8Array): number {
  if (start.length < lengthBytes) throw new BrokenFile(`it has only ${start.length} bytes`);
  const length = Buffer.from(start.buffer, start.byteOffset, lengthBytes).readBigUInt64LE();
  if (length > maximumHeaderBytes) throw new BrokenFile('it does not begin as a safetensors file does');
  return lengthBytes + Number(length);
}

/**
 * @param start of the file, at least up to the end of its header.
 * @throws BrokenFile when the header cannot be read or the file is not as long as the header says.
 */
export function decodeHeader(start: Uint8Array, fileBytes: number): SafetensorsHeader {
  const dataStart = headerEnd(start);
  if (start.length < dataStart) throw new BrokenFile(`it ends inside its header, after ${fileBytes} bytes`);
  const { __metadata__: metadata = {}, ...rest } = parseHeader(start.subarray(lengthBytes, dataStart));
  const tensors = new Map(Object.entries(rest as unknown as Record<string, Entry>));
  let end = 0;
  for (const [name, entry] of tensors) {
    if (!isEntry(entry)) throw new BrokenFile(`its header does not say where ${name} is`);
    end = Math.max(end, entry.data_offsets[1]);
  }
  if (fileBytes !== dataStart + end) throw new BrokenFile(`it has ${fileBytes} bytes instead of ${dataStart + end}`);
  return { metadata: metadata as Record<string, string>, tensors, dataStart, fileBytes };
}

/** @throws BrokenFile */
export function decodeSafetensors(file: Uint8Array): { header: SafetensorsHeader; state: ModelState } {
  const header = decodeHeader(file, file.length);
  const state = new Map<string, Tensor>();
  for (const [
    name,
    {
      shape,
      data_offsets: [from, to],
    },
  ] of header.tensors) {
    const bytes = new Uint8Array(file.subarray(header.dataStart + from, header.dataStart + to));
    state.set(name, { shape, data: new Float32Array(bytes.buffer) });
  }
  return { header, state };
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
