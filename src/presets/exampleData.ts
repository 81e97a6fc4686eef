import { constants } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RetoolError } from '../lib/errors';
import type { Preset } from './presets';

/** The files of the examples that a preset names. */
const exampleDataOf = ({ settings }: Pick<Preset, 'settings'>): string[] =>
  settings.flatMap(({ path, value }) =>
    /^data\.|\.demonstrations$/.test(path) && typeof value === 'string' && !value.startsWith('hub:') ? [value] : [],
  );

/**
 * Copies the files of the examples that a preset names beside its experiment.
 *
 * @returns the files written; one that is there with the same content is left alone.
 * @throws RetoolError `disk`, also where a file of that name has other content.
 */
export async function provideExampleData(preset: Preset, examples: string, folder: string): Promise<string[]> {
  const written: string[] = [];
  for (const name of exampleDataOf(preset)) {
    const [from, to] = [join(examples, name), join(folder, name)];
    try {
      await copyFile(from, to, constants.COPYFILE_EXCL);
      written.push(to);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw RetoolError.from('disk', `${to} cannot be written`, error);
      if ((await readFile(from)).equals(await readFile(to))) continue;
      throw new RetoolError('disk', `${to} exists already, with other content than the example of that name.`, {
        hint: 'Move it away, or write the experiment into another folder.',
      });
    }
  }
  return written;
}
