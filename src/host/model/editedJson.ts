import { applyEdits, type JSONPath, modify } from 'jsonc-parser';

/** The text of a JSON file with one value changed, or removed where it is undefined; comments stay. */
export const edited = (text: string, path: JSONPath, value: unknown): string =>
  applyEdits(text, modify(text, path, value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));

/** The text of an experiment that is held to these files of a hub. @param pins SHA-256 by name. */
export const pinned = (text: string, pins: Readonly<Record<string, string>>): string =>
  Object.entries(pins).reduce((before, [name, sha256]) => edited(before, ['pins', name], sha256), text);
