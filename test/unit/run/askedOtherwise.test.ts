import { describe, expect, it } from 'vitest';
import { comparisonModel } from '../../../src/run/comparisonModel';
import { comparisonWords } from '../../../src/schema/comparisonWords';
import { endedEvaluation, step } from '../../support/endedEvaluation';

const words = comparisonWords((text) => text);
const eight = { subject: step(8) };
const evaluations = [
  endedEvaluation('four', { subject: step(4) }),
  endedEvaluation('six', { subject: step(6) }),
  endedEvaluation('eight', eight),
  endedEvaluation('cooler', { ...eight, temperature: 0.6 }),
  endedEvaluation('fewer-samples', { ...eight, samples: 2 }),
  endedEvaluation('first', { subject: step(12), problems: 8 }),
  endedEvaluation('others', { subject: step(12), verb: 'Multiply' }),
  endedEvaluation('fewer-turns', { subject: step(14), settings: { budgets: { turns: 4 } } }),
];
const setting = (turns: number) => ({ settings: { budgets: { turns } } });

describe('evaluations that were asked otherwise', () => {
  const model = comparisonModel(evaluations, {}, words);

  it('say so in words that a person understands, and never by a hash', () => {
    expect(Object.fromEntries(model.unlike.map(({ id, fields }) => [id, fields]))).toEqual({
      cooler: ['temperature 0.6 instead of 1'],
      'fewer-samples': ['samples per problem: 2 instead of 4'],
      first: ['only the first 8 problems'],
      others: ['other problems under the same name'],
    });
    const longer = [endedEvaluation('a', setting(8)), endedEvaluation('b', { ...setting(4), problems: 40 })];
    const [unlike] = comparisonModel(longer, { baseline: 'a' }, words).unlike;
    expect(unlike?.fields).toEqual(['40 problems, of which the first 30 are the same', 'budgets.turns 4 instead of 8']);
  });

  it('are told apart from their namesakes by what was asked of them', () => {
    const names = model.groups.flatMap(({ members }) => members.map(({ id, label }) => [id, label]));
    expect(Object.fromEntries(names)).toMatchObject({
      eight: 'Step 8',
      cooler: 'Step 8 · T 0.6',
      'fewer-samples': 'Step 8 · n = 2',
      first: 'Step 12 · 8 problems',
      others: 'Step 12',
    });
    const twins = comparisonModel([endedEvaluation('a'), endedEvaluation('b')], {}, words);
    expect(twins.rows.map(({ label }) => label)).toEqual(['Step 1', 'Step 1 (2)']);
  });

  it('are compared with no problem that has another question', () => {
    const all = comparisonModel(evaluations, { unlike: true }, words);
    const row = (id: string) => all.rows.find((each) => each.id === id)!;
    expect(row('others').paired).toBeUndefined();
    expect(row('others').counts.every((count) => count === undefined)).toBe(true);
    expect(row('first').counts.filter(Boolean)).toHaveLength(8);
    expect(row('cooler').paired).toBeDefined();
  });
});
