import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine, type Probes } from '../../../src/datasets/doctor';
import { openProblems, type ProblemRow } from '../../../src/datasets/problemFile';
import { recordShapes } from '../../../src/datasets/recordShapes';
import { goldKey } from '../../../src/run/goldKey';

const own = { path: 'set.jsonl', unit: 'line', shape: recordShapes[0]! } as const;
const foreign = { ...own, shape: recordShapes[1]! };
const probes: Probes = { gold: goldKey, fits: ({ question }) => question.length < 60 };

async function* stream(rows: readonly (readonly [question: string, answer: string, id?: string])[]) {
  for (const [i, [question, answer, id]] of rows.entries()) {
    yield { number: i + 1, problem: { id: id ?? `p-${i + 1}`, question, answer } };
  }
}

/** Of a whole set without a fault, what is found in it. */
const found = async (rows: Parameters<typeof stream>[0]) => (await examine(own, stream(rows), probes)).report.findings;

describe('the data set doctor', () => {
  it('finds nothing in a set that has nothing', async () => {
    const { report } = await examine(
      own,
      stream([
        ['What is 1+1?', '2'],
        ['1+1 等于多少?', '2'],
      ]),
      probes,
    );
    expect(report).toMatchObject({ rows: 2, distinct: 2, usable: 2, findings: {}, scripts: { Latin: 1, Chinese: 1 } });
  });

  it('takes questions for the same that differ in white space and Unicode form, not in case', async () => {
    const rows = [
      ['Café  at\n$n$?', '1'],
      [' Cafe\u0301 at $n$? ', '1'],
      ['Café at $N$?', '2'],
    ] as const;
    expect(await found(rows)).toEqual({ repeated: { count: 1, examples: [{ rows: [1, 2], text: 'Café at $n$?' }] } });
  });

  it('takes answers for the same that are the same number, and only those for contradictory that are not', async () => {
    const rows = [
      ['a?', '025'],
      ['a?', '25'],
      ['a?', '25.0'],
      ['b?', '1/2'],
      ['b?', '0.5'],
      ['c?', '1'],
      ['c?', '2'],
      ['c?', '1'],
      ['c?', '3'],
    ] as const;
    expect(await found(rows)).toEqual({
      repeated: {
        count: 4,
        examples: [
          { rows: [1, 2], text: 'a?' },
          { rows: [1, 3], text: 'a?' },
          { rows: [4, 5], text: 'b?' },
          { rows: [6, 8], text: 'c?' },
        ],
      },
      contradictory: { count: 1, examples: [{ rows: [6, 7], text: 'c?', answers: ['1', '2'] }] },
    });
  });

  it('reports each planted fault once, with its line', async () => {
    const training = await examine(own, stream([['trained on?', '1']]), probes);
    async function* rows(): AsyncGenerator<ProblemRow> {
      yield* stream([
        ['plain?', '1'],
        ['twice?', '2'],
        ['twice?', '2'],
        ['torn?', '3'],
        ['torn?', '4'],
        ['trained on?', '1'],
        [`long${' and long'.repeat(10)}?`, '5'],
        ['in words?', '\\text{Evelyn}'],
        ['beyond the rule?', '\\pi'],
        ['an id?', '6', 'twin'],
        ['the id of another?', '7', 'twin'],
      ]);
      yield { number: 12, fault: 'not JSON.' };
      yield { number: 13, fault: 'the field "answer" is empty.', emptyAnswer: true };
    }
    const earns = ({ answer }: { answer: string }) => answer !== '\\pi';
    const { report, contradictory, tooLong } = await examine(
      own,
      rows(),
      { ...probes, earns },
      {
        against: training,
      },
    );
    const places = Object.fromEntries(
      Object.entries(report.findings).map(([kind, { count, examples }]) => [kind, [count, ...examples[0]!.rows]]),
    );
    expect(places).toEqual({
      repeated: [1, 2, 3],
      contradictory: [1, 4, 5],
      overlap: [1, 6, 1],
      tooLong: [1, 7],
      textAnswer: [1, 8],
      ungraded: [1, 9],
      sameId: [1, 10, 11],
      unreadable: [1, 12],
      emptyAnswer: [1, 13],
    });
    expect(report).toMatchObject({ rows: 13, distinct: 9, usable: 7 });
    expect([contradictory.size, tooLong.size]).toEqual([1, 1]);
  });

  it('makes ids unique where the set was put together from several', async () => {
    const ids: string[] = [];
    const rows = stream([
      ['a?', '1', '0'],
      ['b?', '1', '0'],
      ['a?', '1', '0'],
    ]);
    const { report } = await examine(foreign, rows, probes, { onProblem: ({ id }) => ids.push(id) });
    expect(ids).toEqual(['0', '0#2', '0#3']);
    expect(report.findings.sameId).toBeUndefined();
  });

  describe('on a long stream', () => {
    const rows = 200_000;
    async function* long(distinct: number, length: number, read: { rows: number }): AsyncGenerator<ProblemRow> {
      const filler = 'x'.repeat(length);
      for (let i = 0; i < rows; i++) {
        read.rows = i + 1;
        yield {
          number: i + 1,
          problem: { id: String(i), question: `${i % distinct} ${filler}?`, answer: String(i % distinct) },
        };
      }
    }

    it('keeps as many bytes for a question of 500 letters as for one of 20, and none for a repeat', async () => {
      const bytes = async (distinct: number, length: number) => {
        const { report, questions } = await examine(own, long(distinct, length, { rows: 0 }), { gold: goldKey });
        expect(report).toMatchObject({ rows, distinct });
        return questions.bytes;
      };
      const few = await bytes(2000, 20);
      expect(await bytes(2000, 500)).toBe(few);
      expect(await bytes(rows, 20)).toBeLessThan(rows * 80);
      expect(few).toBeLessThan(2000 * 80 + 16_384);
    });

    it('ends at the record at which it is cancelled', async () => {
      const stop = new AbortController();
      const read = { rows: 0 };
      const told: number[] = [];
      const onProgress = (count: number) => {
        told.push(count);
        stop.abort();
      };
      const work = examine(own, long(rows, 1, read), { gold: goldKey }, { signal: stop.signal, onProgress });
      await expect(work).rejects.toThrow(/abort/i);
      expect(read.rows).toBe(told[0]! + 1);
      expect(told).toHaveLength(1);
    });
  });
});

const sample = join(import.meta.dirname, '../../../../shared/data/dapo-math-17k.sample1000.jsonl');
const missing = existsSync(sample) ? '' : ' (skipped: ../shared/data is not beside the checkout)';

it.skipIf(missing)(`1,000 rows of DAPO are 994 questions, one of them with two answers${missing}`, async () => {
  const file = await openProblems(sample);
  const { report } = await examine(file, file.rows(), { gold: goldKey });
  expect(report).toMatchObject({
    rows: 1000,
    distinct: 994,
    usable: 993,
    findings: { contradictory: { count: 1 }, repeated: { count: 5 } },
  });
  expect(Object.keys(report.findings)).toHaveLength(2);
});
