import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32 } from '../../src/lib/seed';

const count = 100_000;
const seed = 20_251;
const token = /\\[a-zA-Z]+|\d|[a-zA-Z]|[^\s]/g;
const marks = [
  '+',
  '-',
  '/',
  ',',
  '(',
  ')',
  '[',
  ']',
  '=',
  '<',
  '^',
  '!',
  '%',
  ':',
  '\\pi',
  '\\sqrt',
  '\\cup',
  '\\degree',
  'x',
  'i',
];

/** Golds of the public set and of the open corpus, each once, in the order of the files. */
function goldsOf(shared: string): string[] {
  const golds = new Set<string>();
  for (const [name, field] of [
    ['data/math500.jsonl', 'answer'],
    ['corpus/answer-equality.jsonl', 'gold'],
  ] as const) {
    for (const line of readFileSync(join(shared, name), 'utf8').trim().split('\n')) {
      const gold = String((JSON.parse(line) as Record<string, unknown>)[field]);
      if (gold.trim() !== '') golds.add(gold);
    }
  }
  return [...golds];
}

/** Pairs of different texts: half of them two golds at random, half a gold and itself with one token changed. */
export function goldPairs(shared: string): (readonly [string, string])[] {
  const golds = goldsOf(shared);
  const random = mulberry32(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const mutated = (gold: string): string => {
    const found = [...gold.matchAll(token)];
    const { 0: text, index } = found[below(found.length)]!;
    const digit = String((Number(text) + 1 + below(9)) % 10);
    const letter = 'abcdkmnpqrstuvwxyzABCDE'[below(23)]!;
    const replaced = /\d/.test(text) ? digit : /^[a-zA-Z]$/.test(text) ? letter : marks[below(marks.length)]!;
    const instead = [replaced, '', `${text}${marks[below(marks.length)]}`, `-${text}`][below(4)]!;
    return gold.slice(0, index) + instead + gold.slice(index + text.length);
  };
  const pairs: (readonly [string, string])[] = [];
  while (pairs.length < count) {
    const gold = golds[below(golds.length)]!;
    const other = pairs.length % 2 === 0 ? golds[below(golds.length)]! : mutated(gold);
    if (other !== gold) pairs.push([gold, other]);
  }
  return pairs;
}
