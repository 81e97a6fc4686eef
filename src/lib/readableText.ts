// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\0-\x08\x0b-\x1f\x7f-\x9f]/;
const returns = /\r+\n|\r/g;
// CSI, OSC and the two-letter sequences of ECMA-48, then what is left of control characters.
const sequences =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0-\x08\x0b-\x1f\x7f-\x9f]/g;

/** Text of another program without escape sequences and control characters. Tabs and line ends are left; every line end is LF. */
export const readableText = (text: string): string =>
  control.test(text) ? text.replace(returns, '\n').replace(sequences, '') : text;

/** The last line that says something, without its full stop, at most 300 characters; undefined when there is none. */
export function lastLine(text: string): string | undefined {
  const line = readableText(text).trim().split('\n').at(-1)?.trim().replace(/\.$/, '');
  return line ? line.slice(0, 300) : undefined;
}
