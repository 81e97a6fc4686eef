import { describe, expect, it } from 'vitest';
import { issueSentence, parseExperiment } from '../../../src/run/experimentFile';

const good = {
  name: 'a',
  data: { train: 't.jsonl' },
  reinforcement: { steps: 1, learningRate: 1e-3, warmupSteps: 0, decayFraction: 0, finalFraction: 1 },
};
const sentences = (value: unknown) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  return parseExperiment(text).issues.map((issue) => issueSentence(text, issue));
};

describe('parseExperiment', () => {
  it('fills every default in', () => {
    const { experiment, issues } = parseExperiment(JSON.stringify(good));
    expect(issues).toEqual([]);
    expect(experiment).toMatchObject({
      seed: 1,
      reinforcement: { groupSize: 8 },
      service: { kind: 'local', width: 64 },
    });
  });

  it('reads comments, trailing commas and a byte order mark', () => {
    expect(
      sentences(`\uFEFF{ // why\n "name": "a", "data": {"train": "t",},\n "reinforcement": {"steps": 1},}`),
    ).toEqual([]);
  });

  it('names every field that is wrong, with its line', () => {
    const found = sentences({
      ...good,
      seed: -1,
      grupSize: 4,
      reinforcement: { ...good.reinforcement, groupSize: 1, steps: 'many', loss: { kind: 'reinforce' } },
    });
    expect(found).toEqual([
      'seed (line 17) must be at least 0',
      'reinforcement.steps (line 7) must be a number',
      'reinforcement.groupSize (line 12) must be at least 2',
      expect.stringMatching(
        /^reinforcement\.loss\.kind \(line \d+\) must be "ppo" or "importanceSampling" or "cispo"$/,
      ),
      expect.stringMatching(/^grupSize \(line \d+\) is no field of an experiment$/),
    ]);
  });

  it('refuses to hold out beside an evaluation set, or from a set that keeps its repeats', () => {
    const data = { train: 't.jsonl', evaluation: 'e.jsonl', holdOut: 50, deduplicate: false };
    expect(sentences({ ...good, data })).toEqual([
      'data.holdOut (line 6) stands beside data.evaluation: the evaluation has one of them',
      'data.holdOut (line 6) needs data.deduplicate: a repeated question would be trained on and held out',
    ]);
  });

  it('says what was meant by a misspelt field, and where a misplaced one belongs', () => {
    const text = JSON.stringify({
      ...good,
      groupSize: 8,
      budgets: { turnTokenz: 3 },
      reinforcement: { ...good.reinforcement, seed: 1, nonsense: 1 },
    });
    const { issues } = parseExperiment(text);
    expect(
      issues.map(({ path, message, offset, length, meant }) => [
        path.join('.'),
        message.slice(28),
        text.slice(offset, offset + length),
        meant,
      ]),
    ).toEqual([
      ['budgets.turnTokenz', ' (did you mean "turnTokens"?)', '"turnTokenz"', 'turnTokens'],
      ['reinforcement.seed', '; it belongs in the outermost object', '"seed"', undefined],
      ['reinforcement.nonsense', '', '"nonsense"', undefined],
      ['groupSize', '; it belongs in reinforcement', '"groupSize"', undefined],
    ]);
  });

  it('names what is missing', () => {
    expect(sentences({ name: 'a' })).toEqual([
      expect.stringMatching(/^data \(line 1\) is missing/),
      expect.stringMatching(/^reinforcement \(line 1\) is missing/),
    ]);
  });

  it.each([
    [{ budgets: { trajectoryTokens: 200 } }, /budgets\.trajectoryTokens .* is 200, more than service\.context \(96\)/],
    [
      { budgets: { turnTokens: 90, trajectoryTokens: 80 } },
      /budgets\.turnTokens .* more than budgets\.trajectoryTokens/,
    ],
    [{ reward: { correct: -2 } }, /reward\.correct .* not above reward\.incorrect/],
    [{ service: { width: 64, heads: 5 } }, /service\.heads .* multiple of 4/],
    [{ reinforcement: { ...good.reinforcement, minibatches: 64 } }, /minibatches .* more than problemsPerStep/],
  ])('refuses fields that contradict each other: %j', (change, sentence) => {
    expect(sentences({ ...good, ...change })).toEqual([expect.stringMatching(sentence)]);
  });

  it.each(['', '{', '[1', '{"name": }'])('says where %j stops being JSON', (text) => {
    expect(sentences(text)).toEqual([expect.stringMatching(/^line 1 is not JSON: /)]);
  });
});
