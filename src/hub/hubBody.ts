import { PassThrough } from 'node:stream';
import type { Dispatcher } from 'undici';

/** Bytes that wait to be read before the connection is told to pause. */
const mostWaiting = 4 << 20;

/**
 * What an answer brings. Reading gives every byte that came, and only then tells that the connection broke: undici's own
 * stream forgets on a fault what nobody has read yet, so that short connections would never get on.
 */
export class HubBody implements AsyncIterable<Uint8Array> {
  private readonly body: Dispatcher.ResponseData['body'];
  private readonly pieces = new PassThrough({ highWaterMark: mostWaiting });
  private fault: Error | undefined;

  /** To be made as soon as the answer has begun. */
  constructor(body: Dispatcher.ResponseData['body']) {
    this.body = body;
    body.on('data', (piece: Uint8Array) => {
      if (!this.pieces.write(piece)) body.pause();
    });
    this.pieces.on('drain', () => body.resume());
    body.on('end', () => this.pieces.end());
    body.on('error', (error: Error) => {
      this.fault = error;
      this.pieces.end();
    });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of this.pieces) yield piece as Uint8Array;
    } finally {
      this.body.destroy();
    }
    if (this.fault) throw this.fault;
  }

  /** Lets go of what nobody wants, and keeps the connection where little is left. */
  async dump(): Promise<void> {
    await this.body.dump();
  }

  /** Reads a short answer. */
  async text(most = 4 << 20): Promise<string> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of this) {
      pieces.push(piece);
      size += piece.length;
      if (size > most) break;
    }
    return Buffer.concat(pieces).toString('utf8');
  }
}
