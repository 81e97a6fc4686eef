/** Rows as comma-separated values. @see RFC 4180. */
export const csvText = (rows: readonly (readonly (string | number | boolean)[])[]): string =>
  rows.map((row) => `${row.map(csvField).join(',')}\r\n`).join('');

/** A model's text must not become a formula of a spreadsheet. */
function csvField(value: string | number | boolean): string {
  const text = String(value);
  const inert = /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
