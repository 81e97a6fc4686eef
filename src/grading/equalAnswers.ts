import { compareTrees } from './equality/compare';
import { describe } from './equality/describe';
import { Effort, Exhausted } from './equality/effort';
import { Answer, readTree } from './equality/readAnswer';
import type { Verdict } from './equality/scalars';
import { partsOf, type Tree } from './equality/tree';
import { sameChoice, sameTime, wordsOf } from './equality/words';

/** Whether two answers are equal, why, and what each side was read as. */
export interface Comparison {
  readonly verdict: 'equal' | 'different' | 'unknown';
  /** One sentence. */
  readonly reason: string;
  readonly gold: string;
  readonly prediction: string;
}

/** Longer answers are compared letter by letter only. */
const longest = 20_000;
const mostSteps = 10_000;
const plainInteger = /^-?\d{1,15}$/;

/**
 * Compares a predicted answer with the gold answer.
 *
 * Never throws, and takes a bounded number of steps. What cannot be decided, overflow above all, is unknown and never equal.
 */
export function equalAnswers(gold: string, prediction: string): Comparison {
  if (plainInteger.test(gold) && plainInteger.test(prediction)) {
    const same = Number(gold) === Number(prediction);
    return {
      verdict: same ? 'equal' : 'different',
      reason: same ? 'Both are the same whole number.' : 'They are different whole numbers.',
      gold: `the number ${Number(gold)}`,
      prediction: `the number ${Number(prediction)}`,
    };
  }
  if (gold.length > longest || prediction.length > longest) return tooLong(gold, prediction);
  const effort = new Effort(mostSteps);
  let sides: { readonly gold: Answer; readonly prediction: Answer } | undefined;
  try {
    sides = { gold: new Answer(gold, effort), prediction: new Answer(prediction, effort) };
    const [verdict, reason] = decide(sides.gold, sides.prediction, effort);
    return new LazyComparison(verdict, reason, sides.gold, sides.prediction);
  } catch (error) {
    const why =
      error instanceof Exhausted
        ? error.message
        : error instanceof RangeError
          ? 'the numbers are too large'
          : 'the grader failed';
    return new LazyComparison('unknown', `Not decided: ${why}.`, sides?.gold, sides?.prediction);
  }
}

function tooLong(gold: string, prediction: string): Comparison {
  const same = gold.trim() === prediction.trim();
  const side = (text: string) => `a text of ${text.length} characters`;
  return {
    verdict: same ? 'equal' : 'unknown',
    reason: same ? 'Both sides are the same text.' : 'Not decided: a side is too long to be read.',
    gold: side(gold),
    prediction: side(prediction),
  };
}

/** Descriptions are made when they are asked for: most comparisons are never read. */
class LazyComparison implements Comparison {
  readonly verdict: Comparison['verdict'];
  readonly reason: string;
  private readonly sides: readonly [Answer | undefined, Answer | undefined];

  constructor(
    verdict: Comparison['verdict'],
    reason: string,
    gold: Answer | undefined,
    prediction: Answer | undefined,
  ) {
    this.verdict = verdict;
    this.reason = reason;
    this.sides = [gold, prediction];
  }

  get gold(): string {
    return this.sides[0] ? describe(this.sides[0]) : 'not understood';
  }

  get prediction(): string {
    return this.sides[1] ? describe(this.sides[1]) : 'not understood';
  }
}

/** A name or a date: nothing that could be mathematics. */
const isLabel = (plain: string) => /^[\p{L}\d .,'’]*(?:\p{L}{2}|\p{Script=Han})[\p{L}\d .,'’]*$/u.test(plain);

type Decision = readonly [verdict: Comparison['verdict'], reason: string];

function decide(gold: Answer, prediction: Answer, effort: Effort): Decision {
  if (gold.isEmpty || prediction.isEmpty) return ['different', 'A side holds no answer.'];
  if (gold.clean === prediction.clean || compact(gold.clean) === compact(prediction.clean))
    return ['equal', 'Both sides are the same text.'];
  const choice = byChoice(gold, prediction, effort);
  if (choice) return choice;
  const [time, otherTime] = [gold.time, prediction.time];
  if (time && otherTime) {
    return sameTime(time, otherTime)
      ? ['equal', 'Both are the same time.']
      : ['different', 'They are different times.'];
  }
  // 12:00 is no ratio of 12 to nothing, and 10:30 one of 1 to 3 only beside another ratio.
  const [lone, other] = time ? [time, prediction] : [otherTime, gold];
  if (lone?.marked || (lone?.reducible && !other.clean.includes(':')))
    return ['different', 'One side is a time, the other is not.'];
  const [code, otherCode] = [gold.code, prediction.code];
  if (code !== undefined || otherCode !== undefined)
    return code === otherCode
      ? ['equal', 'Both are the same date or code.']
      : ['different', 'A side is a date or a code, the other is not the same.'];
  // Letters that can be read as algebra on both sides are no words: ab - c is not ab, c.
  if (gold.words !== undefined && prediction.words !== undefined && !(gold.tree && prediction.tree)) {
    return gold.words === prediction.words
      ? ['equal', 'Both sides say the same words.']
      : ['different', 'The sides say different words.'];
  }
  if (
    !gold.tree &&
    !prediction.tree &&
    wordsOf(gold.plain) === wordsOf(prediction.plain) &&
    isLabel(gold.plain) &&
    isLabel(prediction.plain)
  ) {
    return ['equal', 'Both sides say the same words.'];
  }
  if (!gold.tree || !prediction.tree) return unread(gold, prediction);
  const words = wordsIn(gold.tree);
  const others = words === '' ? '' : wordsIn(prediction.tree);
  if (others !== '' && words !== others) return ['different', 'The sides hold different words.'];
  const verdict = compareTrees(gold.tree, prediction.tree, effort);
  if (verdict !== true && otherReading(gold, prediction, effort))
    return ['equal', 'Both are the same with the comma read the other way.'];
  return told(verdict);
}

/** The words among the letters of a side, each once. */
const wordsIn = (tree: Tree): string => [...new Set(lettersIn(tree, []))].sort().join();

function lettersIn(tree: Tree, found: string[]): readonly string[] {
  if (tree.kind === 'apply' && tree.word !== undefined) found.push(tree.word);
  for (const part of partsOf(tree)) lettersIn(part, found);
  return found;
}

function told(verdict: Verdict): Decision {
  if (verdict === true) return ['equal', 'Both sides mean the same.'];
  return verdict === false
    ? ['different', 'The sides mean different things.']
    : ['unknown', 'Not decided: a value cannot be computed.'];
}

/** Words against mathematics differ; what was not understood stays unknown. */
function unread(gold: Answer, prediction: Answer): Decision {
  for (const [side, name] of [
    [gold, 'gold answer'],
    [prediction, 'prediction'],
  ] as const) {
    if (!side.tree && side.words === undefined)
      return ['unknown', `Not decided: the ${name} was not understood, ${side.problem}.`];
  }
  return ['different', 'One side is words, the other is not.'];
}

/** White space counts only between letters or digits. */
function compact(text: string): string {
  return text.includes(' ') ? text.replaceAll(/(?<![a-zA-Z0-9.,]) +| +(?![a-zA-Z0-9.])/g, '') : text;
}

function byChoice(gold: Answer, prediction: Answer, effort: Effort): Decision | undefined {
  const [a, b] = [gold.choice, prediction.choice];
  if (a && b) {
    if (!sameChoice(a, b, gold.isOrdered || prediction.isOrdered)) return ['different', 'They name different choices.'];
    if (a.rest === '' || b.rest === '' || wordsOf(a.rest) === wordsOf(b.rest))
      return ['equal', 'Both name the same choice.'];
    const [verdict] = decide(new Answer(a.rest, effort), new Answer(b.rest, effort), effort);
    return verdict === 'equal'
      ? ['equal', 'Both name the same choice.']
      : [verdict, 'They name the same choice with different values.'];
  }
  const labelled = a?.rest ? a : b?.rest ? b : undefined;
  if (!labelled) return undefined;
  const rest = new Answer(labelled.rest, effort);
  const other = labelled === a ? prediction : gold;
  if (!rest.tree || !other.tree) return undefined;
  return told(
    labelled === a ? compareTrees(rest.tree, other.tree, effort) : compareTrees(other.tree, rest.tree, effort),
  );
}

const commaNumber = /^-?\d+,\d{2,}$|^-?0,\d{2,}$/;
const pointNumber = /^-?\d+\.\d+$/;
const groupedNumber = /^-?[1-9]\d{0,2}(?:,[1-9]\d{2})+$/;

/** "1,22" for 1.22, and "1,234" for the list 1, 234: only where the other side leaves no doubt. */
function otherReading(gold: Answer, prediction: Answer, effort: Effort): boolean {
  const [a, b] = [gold.clean, prediction.clean];
  if (!a.includes(',') && !b.includes(',')) return false;
  for (const [comma, other, otherTree] of [
    [a, b, prediction.tree],
    [b, a, gold.tree],
  ] as const) {
    if (commaNumber.test(comma) && !groupedNumber.test(comma) && pointNumber.test(other))
      return Number(comma.replace(',', '.')) === Number(other);
    if (groupedNumber.test(comma) && otherTree?.kind === 'list') {
      return compareTrees(readTree(comma.replaceAll(',', ', '), effort), otherTree, effort) === true;
    }
  }
  return false;
}
