import { deriveSeed, mulberry32 } from '../lib/seed';
import type { Demonstration, Problem } from '../schema/trajectory';

/**
 * `base` asks for products of two-digit numbers, with a third number added or subtracted: more than a small model can
 * do in its head. `mixed` asks for sums of 1 to 5 too, in short or as a story so long that a call leaves no room for the
 * answer: there the model has to learn when to use the tool.
 */
export type ArithmeticTask = 'base' | 'mixed';

export interface ArithmeticSets {
  readonly train: readonly Problem[];
  readonly evaluation: readonly Problem[];
  readonly demonstrations: readonly Demonstration[];
}

export interface ArithmeticOptions {
  readonly task: ArithmeticTask;
  readonly seed: number;
  readonly sizes: { readonly [Part in keyof ArithmeticSets]: number };
  /** Start of the ids: `a` gives `a-0001`, `ae-0001` and `ad-0001`. */
  readonly prefix: string;
}

interface Item {
  readonly kind: 'hard' | 'short' | 'story';
  readonly question: string;
  readonly expression: string;
  readonly answer: number;
}

type Random = () => number;

const hardPhrases = ['What is _?', 'Compute _.', 'Calculate _.', '_ = ?'];
const shortPhrases = ['What is _?', "What's _?", 'Compute _.', 'Calculate _.', '_ = ?', '_ is?', 'Find _.', 'Add _.'];
const names = ['Tom', 'Ann', 'Ben', 'Eva', 'Max', 'Zoe', 'Sam', 'Ida', 'Leo', 'Mia', 'Kim', 'Ray'];
const things = ['pens', 'cups', 'nuts', 'hats', 'eggs', 'keys', 'toys', 'figs', 'pins', 'maps', 'jars', 'bags'];

/**
 * Makes three sets of problems. No evaluation problem is in the other two: hard ones by expression, the others by their
 * text. Within a set none repeats, but for short sums outside of the evaluation: there are too few of them. Sets beyond
 * some 2,500 stories or 8,000 hard problems would find none that is new.
 */
export function arithmeticSets({ task, seed, sizes, prefix }: ArithmeticOptions): ArithmeticSets {
  const held = new Set<string>();
  const draw = (part: keyof ArithmeticSets, mark: string): Demonstration[] => {
    const random = mulberry32(deriveSeed(seed, 'arithmetic', task, part));
    const seen = new Set<string>();
    const problems: Demonstration[] = [];
    while (problems.length < sizes[part]) {
      const make = task === 'base' ? hard : pickKind(random());
      let item = make(random);
      // Only the item is drawn anew, so that the shares of the kinds stay what they are.
      while (held.has(keyOf(item)) || (seen.has(keyOf(item)) && (item.kind !== 'short' || part === 'evaluation'))) {
        item = make(random);
      }
      seen.add(keyOf(item));
      problems.push({
        id: `${prefix}${mark}-${String(problems.length + 1).padStart(4, '0')}`,
        question: item.question,
        answer: String(item.answer),
        kind: item.kind,
        code: `print(${item.expression})`,
      });
    }
    if (part === 'evaluation') for (const key of seen) held.add(key);
    return problems;
  };
  const evaluation = draw('evaluation', 'e').map(withoutCode);
  return { train: draw('train', '').map(withoutCode), evaluation, demonstrations: draw('demonstrations', 'd') };
}

const withoutCode = ({ code: _, ...problem }: Demonstration): Problem => problem;

const between = (random: Random, low: number, high: number) => low + Math.floor(random() * (high - low + 1));
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const keyOf = ({ kind, expression, question }: Item) => (kind === 'hard' ? expression : question);

function pickKind(share: number): (random: Random) => Item {
  if (share < 0.45) return hard;
  return share < 0.6 ? short : story;
}

function hard(random: Random): Item {
  const phrase = pick(random, hardPhrases);
  const [a, b, c] = [between(random, 10, 99), between(random, 10, 99), between(random, 10, 99)];
  const d = between(random, 100, 999);
  const [expression, answer] = pick<readonly [string, number]>(random, [
    [`${a}*${b}`, a * b],
    [`${a}*${b}-${c}`, a * b - c],
    [`${a}*${b}+${d}`, a * b + d],
    [`${d}+${a}*${b}`, d + a * b],
  ]);
  return { kind: 'hard', question: phrase.replace('_', expression), expression, answer };
}

function short(random: Random): Item {
  const [a, b] = [between(random, 1, 5), between(random, 1, 5)];
  const shown = pick(random, [`${a}+${b}`, `${a} + ${b}`]);
  return {
    kind: 'short',
    question: pick(random, shortPhrases).replace('_', shown),
    expression: `${a}+${b}`,
    answer: a + b,
  };
}

function story(random: Random): Item {
  const [a, b] = [between(random, 1, 5), between(random, 1, 5)];
  const [name, thing] = [pick(random, names), pick(random, things)];
  const has = a === 1 ? thing.slice(0, -1) : thing;
  const more = b === 1 ? thing.slice(0, -1) : thing;
  return {
    kind: 'story',
    question: `${name} has ${a} ${has} and gets ${b} more ${more}. How many ${thing} in all?`,
    expression: `${a}+${b}`,
    answer: a + b,
  };
}
