import { createHash } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { type ErrorCode, RetoolError } from './errors';

/** Largest file that is read whole, bytes: the text of a larger one would not fit a JavaScript string. */
const largest = 256 * 1024 * 1024;

/**
 * Opens a file that a person named, for reading.
 *
 * @param code of the errors about the file itself; those of the disk are `disk`.
 * @param missingHint what to do where there is no such file, in a sentence.
 * @throws RetoolError when it is missing, or a folder, or a pipe or device: one that nobody writes to would never end.
 */
export async function openUserFile(path: string, code: ErrorCode, missingHint?: string): Promise<FileHandle> {
  const wrong = (message: string, hint?: string) => new RetoolError(code, message, hint === undefined ? {} : { hint });
  const notFile = () => wrong(`${path} is a pipe or a device, not a file.`, 'Write its content to a file first.');
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes to would wait.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await file.stat();
    if (info.isDirectory()) throw wrong(`${path} is a folder, not a file.`);
    if (!info.isFile()) throw notFile();
    return file;
  } catch (error) {
    await file?.close();
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === 'ENOENT' || reason === 'ENOTDIR') throw wrong(`There is no file ${path}.`, missingHint);
    if (reason === 'ENXIO') throw notFile();
    throw RetoolError.from(code, `${path} cannot be read`, error);
  }
}

/** Reads a file that a person named, whole. As `openUserFile` otherwise. @throws RetoolError also when it is too large. */
export async function readUserFile(path: string, code: ErrorCode, missingHint?: string): Promise<Buffer> {
  await using file = await openUserFile(path, code, missingHint);
  const { size } = await file.stat();
  if (size > largest) {
    const [is, most] = [size, largest].map((bytes) => Math.ceil(bytes / 1048576));
    throw new RetoolError(code, `${path} has ${is} MB; files of up to ${most} MB are read.`);
  }
  return file.readFile().catch((error: unknown) => {
    throw RetoolError.from(code, `${path} cannot be read`, error);
  });
}

/** SHA-256 of a file that a person named, of any size, in hexadecimal. As `openUserFile` otherwise. */
export async function digestUserFile(path: string, code: ErrorCode): Promise<string> {
  await using file = await openUserFile(path, code);
  const hash = createHash('sha256');
  try {
    for await (const piece of file.createReadStream({ autoClose: false })) hash.update(piece as Buffer);
  } catch (error) {
    throw RetoolError.from(code, `${path} cannot be read`, error);
  }
  return hash.digest('hex');
}

/** Reads a text that a person named, without a byte order mark. As `readUserFile` otherwise. @throws RetoolError also when it is not UTF-8. */
export async function readUserText(path: string, code: ErrorCode, missingHint?: string): Promise<string> {
  const bytes = await readUserFile(path, code, missingHint);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RetoolError(code, `${path} is not UTF-8 text.`, { hint: 'Save it as UTF-8.' });
  }
}
