import { parseArgs } from 'node:util';
import { RetoolError } from '../lib/errors';

type Options = Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;

type Values<T extends Options> = {
  readonly [K in keyof T]?: T[K]['type'] extends 'boolean' ? boolean : string;
};

/** What the shell gave a command, read by the command's own table of options. @throws RetoolError `usage`. */
export function readArguments<T extends Options>(
  usage: string,
  args: readonly string[],
  positionals: { readonly least: number; readonly most: number },
  options: T,
): { readonly values: Values<T>; readonly positionals: readonly string[] } {
  const wrong = (message: string) => new RetoolError('usage', message, { hint: `Usage: ${usage}` });
  let parsed: { values: object; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { message } = error as Error;
    const dashed = /^Option '(?:-\w, )?(--[\w-]+)[^']*' argument is ambiguous/.exec(message)?.[1];
    if (dashed) throw wrong(`${dashed} has no value; one that begins with a dash is written ${dashed}=-1.`);
    const [sentence] = message.split(/\.?\s+To specify/);
    throw wrong(`${sentence?.replace(/\.$/, '')}.`);
  }
  if (parsed.positionals.length < positionals.least) throw wrong('An argument is missing.');
  if (parsed.positionals.length > positionals.most) {
    throw wrong(`"${parsed.positionals[positionals.most]}" is one argument too many.`);
  }
  return { values: parsed.values as Values<T>, positionals: parsed.positionals };
}

/** @throws RetoolError `usage` unless `text` is a whole number within the bounds. */
export function wholeNumber(
  name: string,
  text: string | undefined,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new RetoolError('usage', `${name} must be a whole number ${bounds}, not "${text}".`);
}

/** @throws RetoolError `usage` unless `text` is a number within the bounds. */
export function realNumber(name: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new RetoolError('usage', `${name} must be a number from ${least} to ${most}, not "${text}".`);
}
