import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exampleFiles } from '../../../scripts/exampleFiles';
import { arithmeticSets } from '../../../src/datasets/arithmetic';
import { readDemonstrations } from '../../../src/datasets/problemFile';
import { compactProtocol } from '../../../src/protocols/compact';
import type { Problem } from '../../../src/schema/trajectory';
import { localVocabulary } from '../../../src/trainer/vocabulary';
import { readProblems } from '../../support/readProblems';

const expressionOf = ({ question }: Problem) => /[\d*+-]*\d\*\d[\d+-]*/.exec(question)?.[0];
const keyOf = (problem: Problem) => (problem.kind === 'hard' ? expressionOf(problem) : problem.question);

const sizes = { train: 200, evaluation: 100, demonstrations: 200 };

describe.each(['base', 'mixed'] as const)('the %s task', (task) => {
  const sets = arithmeticSets({ task, seed: 3, sizes, prefix: 'x' });

  it('is the same for the same seed and another for another', () => {
    expect(arithmeticSets({ task, seed: 3, sizes, prefix: 'x' })).toEqual(sets);
    expect(arithmeticSets({ task, seed: 4, sizes, prefix: 'x' }).train).not.toEqual(sets.train);
  });

  it('has ids that are unique across its sets', () => {
    const ids = [...sets.train, ...sets.evaluation, ...sets.demonstrations].map(({ id }) => id);
    expect(new Set(ids).size).toBe(500);
    expect(ids[0]).toBe('x-0001');
  });

  it('has code that computes the answer', () => {
    for (const { code, answer } of sets.demonstrations) {
      const expression = /^print\(([\d*+-]+)\)$/.exec(code)![1]!;
      const terms = expression.split(/(?=[+-])/).map((term) => {
        const [first, second = '1'] = term.split('*');
        return Number(first) * Number(second);
      });
      expect(String(terms.reduce((sum, term) => sum + term, 0))).toBe(answer);
    }
  });
});

describe('the examples', () => {
  it('are what the generator writes', async () => {
    for (const [name, text] of Object.entries(exampleFiles())) {
      expect((await readFile(`examples/${name}`, 'utf8')) === text, name).toBe(true);
    }
  });

  it.each(['arithmetic', 'when-to-use-the-tool'])('of %s keep the evaluation apart', async (name) => {
    const train = await readProblems(`examples/${name}.train.jsonl`);
    const evaluation = await readProblems(`examples/${name}.evaluation.jsonl`);
    const demonstrations = await readDemonstrations(`examples/${name}.demonstrations.jsonl`);
    expect([train.length, evaluation.length, demonstrations.length]).toEqual([4096, 1024, 6144]);
    const held = new Set(evaluation.map(keyOf));
    expect(held.has(undefined)).toBe(false);
    expect(held.size).toBe(1024);
    expect([...train, ...demonstrations].filter((problem) => held.has(keyOf(problem)))).toEqual([]);
  });

  it('hold the three kinds in their shares', async () => {
    const problems = await readProblems('examples/when-to-use-the-tool.train.jsonl');
    const share = (kind: string) => problems.filter((problem) => problem.kind === kind).length / problems.length;
    expect(share('hard')).toBeCloseTo(0.45, 1);
    expect(share('short')).toBeCloseTo(0.15, 1);
    expect(share('story')).toBeCloseTo(0.4, 1);
  });

  it('leave stories room for an answer and none for a call before it', async () => {
    const protocol = compactProtocol(localVocabulary);
    const room = 78;
    for (const problem of await readDemonstrations('examples/when-to-use-the-tool.demonstrations.jsonl')) {
      const call = protocol.call(problem.code);
      const answered = protocol.prompt(problem).length + protocol.answer(problem.answer).length;
      const called = answered + call.length + protocol.continuation(call, problem.answer, 24).length;
      expect(answered).toBeLessThanOrEqual(room);
      if (problem.kind === 'story') expect(called).toBeGreaterThan(room);
      else expect(called).toBeLessThanOrEqual(room);
    }
  });
});
