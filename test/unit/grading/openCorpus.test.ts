import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { equalAnswers } from '../../../src/grading/equalAnswers';
import { dapoStrictBox100, findBox, lastBox } from '../../../src/grading/findBox';

/** The open case sets lie beside the checkout. */
const corpus = join(import.meta.dirname, '../../../../shared/corpus');
const data = join(import.meta.dirname, '../../../../shared/data');
const missing = existsSync(corpus) ? '' : ' (skipped: ../shared/corpus is not beside the checkout)';

interface Row {
  readonly id: string;
  readonly gold: string;
  readonly prediction: string;
  readonly equal: boolean;
  readonly text: string;
  readonly answer: unknown;
  readonly expected_boxed: string | null;
  readonly dapo_strict: string | null;
}

const rows = (folder: string, name: string): readonly Row[] =>
  readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
const equal = ({ gold, prediction }: Row) => equalAnswers(gold, prediction).verdict === 'equal';

describe.skipIf(missing !== '')(`the open corpus${missing}`, () => {
  it('has at least 99.5 % of its pairs right, with at most 2 false positives', () => {
    const pairs = rows(corpus, 'answer-equality.jsonl');
    const wrong = pairs.filter((pair) => equal(pair) !== pair.equal);
    expect(wrong.filter(equal).map(({ id }) => id).length).toBeLessThanOrEqual(2);
    expect(wrong.map(({ id }) => id).length).toBeLessThanOrEqual(pairs.length * 0.005);
  });

  it('holds pairs that fooled others, all unequal', () => {
    expect(rows(corpus, 'answer-equality-false-positives.jsonl').filter(equal)).toEqual([]);
  });

  it('finds the expected boxes', () => {
    for (const { id, text, expected_boxed, dapo_strict } of rows(corpus, 'box-extraction.jsonl')) {
      expect(findBox(text, lastBox) ?? null, id).toBe(expected_boxed);
      expect(findBox(text, dapoStrictBox100) ?? null, id).toBe(dapo_strict);
    }
  });

  it('has hostile pairs, none of which throws or takes a second', () => {
    for (const { id, gold, prediction } of rows(corpus, 'answer-adversarial.jsonl')) {
      const began = performance.now();
      equalAnswers(gold, prediction);
      expect(performance.now() - began, id).toBeLessThan(1000);
    }
  });
});

/** Ways to write the same answer. */
const rewritings: readonly ((gold: string) => string)[] = [
  (gold) => gold,
  (gold) => `$${gold}$`,
  (gold) => `\\(${gold}\\)`,
  (gold) => `\\boxed{${gold}}`,
  (gold) => ` ${gold} `,
  (gold) => `${gold}.`,
  (gold) => `{${gold}}`,
  (gold) => gold.replaceAll('\\frac', '\\dfrac'),
  (gold) => gold.replaceAll('\\left', '').replaceAll('\\right', ''),
  (gold) => gold.replaceAll(/(?<![\\a-zA-Z\d])\(/g, '\\left(').replaceAll(/(?<!\\right|\\)\)/g, '\\right)'),
  (gold) => gold.replaceAll('\\pi', 'π').replaceAll('\\infty', '∞').replaceAll('\\cup', '∪'),
  (gold) => gold.replaceAll('\\text{', '\\mathrm{'),
  (gold) => gold.replaceAll(/\\sqrt\{(\d)\}/g, '\\sqrt$1'),
  (gold) => gold.replaceAll('^\\circ', '^{\\circ}'),
];

describe.skipIf(missing !== '')(`golds of public sets${missing}`, () => {
  it.each(['aime24.jsonl', 'aime25.jsonl', 'amc23.jsonl', 'math500.jsonl'])(
    '%s: each equals its rewritings',
    (name) => {
      for (const { answer } of rows(data, name)) {
        const gold = String(answer);
        const forms = rewritings.map((rewrite) => rewrite(gold));
        if (/^-?\d+$/.test(gold))
          forms.push(
            `${gold}.0`,
            `+${gold}`.replace('+-', '-'),
            `0${gold}`.replace('0-', '-0'),
            `\\text{${gold}}`,
            `x = ${gold}`,
            `\\frac{${gold}}{1}`,
          );
        for (const form of forms)
          expect(equalAnswers(gold, form), `${gold} and ${form}`).toMatchObject({ verdict: 'equal' });
      }
    },
  );
});
