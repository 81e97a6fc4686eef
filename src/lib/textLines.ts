import { RetoolError } from './errors';
import { openUserFile } from './userFile';

interface TextLinesOptions {
  /** Bytes of the longest line that is read. */
  readonly longest: number;
  /** What to do where there is no such file, in a sentence. */
  readonly missingHint?: string;
  /** What to do about a line that is wrong, in a sentence. */
  readonly lineHint?: string;
  /** Bytes that are no UTF-8 are read as U+FFFD: whoever parses the lines tells which are broken. */
  readonly lenient?: boolean;
}

const piece = 1 << 20;
const lineFeed = 10;

/**
 * The lines of a UTF-8 file with their numbers from 1, without their ends and a byte order mark. Holds no more than a line
 * and a piece in memory.
 *
 * @throws RetoolError `data` naming the file, and the line that is too long or no text. As `openUserFile` otherwise.
 */
export async function* textLines(
  path: string,
  { longest, missingHint, lineHint, lenient = false }: TextLinesOptions,
): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  await using file = await openUserFile(path, 'data', missingHint);
  const wrong = (message: string) => new RetoolError('data', message, lineHint === undefined ? {} : { hint: lineHint });
  const decoder = new TextDecoder('utf-8', { fatal: !lenient });
  let number = 0;
  const decode = (bytes: Uint8Array) => {
    number += 1;
    try {
      return { number, text: decoder.decode(bytes).replace(/\r$/, '') };
    } catch {
      throw wrong(`${path}, line ${number}: not UTF-8 text.`);
    }
  };
  const tooLong = () => wrong(`${path}, line ${number + 1}: longer than ${longest} bytes.`);

  let rest: Buffer[] = [];
  let held = 0;
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(piece), 0, piece);
    if (bytesRead === 0) break;
    const bytes = buffer.subarray(0, bytesRead);
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      const line = bytes.subarray(from, end);
      if (held + line.length > longest) throw tooLong();
      yield decode(held === 0 ? line : Buffer.concat([...rest, line]));
      [rest, held, from] = [[], 0, end + 1];
    }
    rest.push(bytes.subarray(from));
    held += bytesRead - from;
    if (held > longest) throw tooLong();
  }
  if (held > 0) yield decode(Buffer.concat(rest));
}
