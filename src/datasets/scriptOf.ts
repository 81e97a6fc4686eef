const scripts: readonly (readonly [string, RegExp])[] = [
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ['Chinese', /\p{Script=Han}/u],
  ['Korean', /\p{Script=Hangul}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Devanagari', /\p{Script=Devanagari}/u],
  ['Latin', /\p{Script=Latin}/u],
];

const plain = /^[\x20-\x7e\s]*$/;

/** The script that tells a question's language: a name in Latin letters makes no Chinese question English. */
export function scriptOf(text: string): string {
  if (plain.test(text)) return /[a-z]/i.test(text) ? 'Latin' : 'none';
  return scripts.find(([, letters]) => letters.test(text))?.[0] ?? 'none';
}
