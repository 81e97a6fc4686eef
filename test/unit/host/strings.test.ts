import { expect, test } from 'vitest';
import chinese from '../../../l10n/bundle.l10n.zh-cn.json' with { type: 'json' };
import { createStrings } from '../../../src/host/strings';

function everyMessage(): Set<string> {
  const seen = new Set<string>();
  const walk = (value: unknown): void => {
    // Counts of none and of one may have sentences of their own.
    if (typeof value === 'function') for (const first of ['1', 0, 1]) value(first, '2', '3');
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  walk(
    createStrings((message) => {
      seen.add(message);
      return message;
    }),
  );
  return seen;
}

const placeholders = (text: string) => (text.match(/\{\d\}/g) ?? []).sort();

test('every sentence is translated, and nothing else is', () => {
  expect(Object.keys(chinese).sort()).toEqual([...everyMessage()].sort());
});

test('a translation keeps the placeholders', () => {
  for (const [english, translated] of Object.entries(chinese)) {
    expect(placeholders(translated), english).toEqual(placeholders(english));
  }
});
