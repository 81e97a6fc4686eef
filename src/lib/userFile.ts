import { constants, open } from 'node:fs/promises';
import { type ErrorCode, RetoolError } from './errors';

/** Largest file that is read whole, bytes: the text of a larger one would not fit a JavaScript string. */
const largest = 256 * 1024 * 1024;

/**
 * Reads a file that a person named.
 *
 * @param code of the errors about the file itself; those of the disk are `disk`.
 * @param hint what to do where there is no such file.
 * @throws RetoolError when it is missing, no regular file (a pipe would be waited for without end) or too large.
 */
export async function readUserFile(path: string, code: ErrorCode, hint?: string): Promise<Buffer> {
  const wrong = (message: string) => new RetoolError(code, message, hint === undefined ? {} : { hint });
  try {
    // Without O_NONBLOCK, opening a pipe that nobody writes would wait.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const info = await file.stat();
    if (info.isDirectory()) throw wrong(`${path} is a folder, not a file.`);
    if (!info.isFile()) throw wrong(`${path} is not a regular file.`);
    if (info.size > largest) {
      throw wrong(`${path} has ${Math.ceil(info.size / 1048576)} MB; files of up to ${largest / 1048576} MB are read.`);
    }
    return await file.readFile();
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code;
    if (reason === 'ENOENT' || reason === 'ENOTDIR') throw wrong(`There is no file ${path}.`);
    if (reason === 'ENXIO') throw wrong(`${path} is not a regular file.`);
    throw RetoolError.from(code, `${path} cannot be read`, error);
  }
}
