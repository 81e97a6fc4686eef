import { basename, relative } from 'node:path';
import { shellQuoted } from '../lib/shellQuoted';

/** A path as one would type it. */
export const shown = (path: string): string => {
  const near = relative(process.cwd(), path);
  // A name that begins with a dash would be taken for an option.
  return shellQuoted(near.startsWith('..') || near === '' ? path : near.replace(/^-/, './-'));
};

/** True where npm runs this in a checkout. */
export const runByNpm = ['train', 'retool'].includes(process.env.npm_lifecycle_event ?? '');

/** What a person types to call this program again, from where it was called: in a checkout it is not on the PATH. */
function invocation(script = process.argv[1] ?? ''): string {
  if (runByNpm) return 'npm run --silent retool --';
  return basename(script) === 'cli.js' ? `node ${shown(script)}` : 'retool';
}

const commandName =
  /(?<=^|['`\s])retool (?=(?:train|resume|show|evaluate|import|compare|grade|extract|doctor|plan|preset|sandbox|template|fetch|serve|bench)\b)/g;

/** A sentence that names commands as `retool …`, with what can be typed here in their place. */
export const typeable = (sentence: string): string => sentence.replaceAll(commandName, () => `${invocation()} `);
