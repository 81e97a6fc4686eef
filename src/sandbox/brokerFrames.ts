/** How a call ended, before the kernel's word is read. */
export const ending = { byItself: 0, byClock: 1, byOutput: 2, byFolder: 3, byFailure: 4 } as const;

/** Kinds of frames: a length, a kind, then the body. Integers are big-endian. */
export const frameKind = { run: 1, cancel: 2, hello: 3, result: 4 } as const;

const header = 5;
const runHeader = 9;
const resultHeader = 73;

/** Part of what a stream held: all of it, or its first bytes and its last. */
export interface KeptOutput {
  readonly total: number;
  readonly head: Buffer;
  readonly tail: Buffer;
}

export interface ResultFrame {
  readonly id: number;
  readonly ending: number;
  /** As `wait` gives it. */
  readonly waitStatus: number;
  readonly queueSeconds: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMemoryBytes: number;
  readonly stdout: KeptOutput;
  /** Of a call that the sandbox failed: the reason. */
  readonly stderr: KeptOutput;
}

export interface CallFrame {
  readonly id: number;
  readonly seed: number;
  /** Index of the kind of fork server. */
  readonly kind: number;
  readonly text: string;
  /** Whether the value of a last expression is printed. */
  readonly printsValue: boolean;
}

/** Stands before code of which no value is printed: UTF-8 has no such byte. */
const quiet = Buffer.of(0xff);

export function runFrame({ id, seed, kind, text, printsValue }: CallFrame): Buffer {
  const code = Buffer.from(text);
  const length = runHeader + code.length + (printsValue ? 0 : quiet.length);
  const start = Buffer.allocUnsafe(header + runHeader);
  start.writeUInt32BE(length, 0);
  start[4] = frameKind.run;
  start.writeUInt32BE(id, 5);
  start.writeUInt32BE(seed, 9);
  start[13] = kind;
  return Buffer.concat(printsValue ? [start, code] : [start, quiet, code]);
}

export function cancelFrame(id: number): Buffer {
  const frame = Buffer.allocUnsafe(header + 4);
  frame.writeUInt32BE(4, 0);
  frame[4] = frameKind.cancel;
  frame.writeUInt32BE(id, 5);
  return frame;
}

export function readResult(body: Buffer): ResultFrame {
  const [outHead, outTail] = [body.readUInt32BE(49), body.readUInt32BE(53)];
  const [errHead, errTail] = [body.readUInt32BE(65), body.readUInt32BE(69)];
  let at = resultHeader;
  const take = (length: number) => {
    at += length;
    return body.subarray(at - length, at);
  };
  return {
    id: body.readUInt32BE(0),
    ending: body[4]!,
    waitStatus: body.readUInt32BE(5),
    queueSeconds: body.readDoubleBE(9),
    seconds: body.readDoubleBE(17),
    cpuSeconds: body.readDoubleBE(25),
    peakMemoryBytes: Number(body.readBigUInt64BE(33)),
    stdout: { total: Number(body.readBigUInt64BE(41)), head: take(outHead), tail: take(outTail) },
    stderr: { total: Number(body.readBigUInt64BE(57)), head: take(errHead), tail: take(errTail) },
  };
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);

  /** Calls `take` for each frame that `data` completes. */
  push(data: Buffer, take: (kind: number, body: Buffer) => void): void {
    const bytes = this.rest.length === 0 ? data : Buffer.concat([this.rest, data]);
    let at = 0;
    while (bytes.length - at >= header) {
      const length = bytes.readUInt32BE(at);
      if (bytes.length - at < header + length) break;
      take(bytes[at + 4]!, bytes.subarray(at + header, at + header + length));
      at += header + length;
    }
    this.rest = bytes.subarray(at);
  }
}
