import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { equalAnswers } from '../../../src/grading/equalAnswers';
import { goldPairs } from '../../support/goldPairs';

const shared = join(import.meta.dirname, '../../../../shared');
const missing = existsSync(join(shared, 'corpus')) ? '' : ' (skipped: ../shared/corpus is not beside the checkout)';

/** Pairs that were judged equal and reviewed, each with sympy's confirmation or the reason why they are. */
const reviewed = readFileSync(join(import.meta.dirname, '../../support/goldPairsReviewed.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [string, string, string]);

it('has a reason for each reviewed pair', () => {
  for (const [gold, other, reason] of reviewed) expect(reason, `${gold} and ${other}`).toMatch(/\w{3}/);
});

it.skipIf(missing !== '')(
  `takes of 100,000 pairs of golds exactly the reviewed ones for equal${missing}`,
  () => {
    const judged = new Set<string>();
    for (const [gold, other] of goldPairs(shared)) {
      if (equalAnswers(gold, other).verdict === 'equal') judged.add(JSON.stringify([gold, other]));
    }
    const expected = new Set(reviewed.map(([gold, other]) => JSON.stringify([gold, other])));
    expect([...judged].filter((pair) => !expected.has(pair))).toEqual([]);
    expect([...expected].filter((pair) => !judged.has(pair))).toEqual([]);
  },
  180_000,
);
