/** Longest text of a case that is shown whole. */
const longest = 80;

/** What ends a line or steers a terminal is escaped: what a file holds is no place for another verdict. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text of a case as a line can show it. */
export const brief = (text: string): string =>
  onOneLine(text.length > longest ? `${text.slice(0, longest - 1)}…` : text);

/** For example `1 case`, `1,024 cases`. */
export const counted = (count: number, one: string): string =>
  `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
