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

const loss = (settings: Record<string, unknown>) => ({ reinforcement: { ...good.reinforcement, loss: settings } });

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
      reinforcement: { ...good.reinforcement, groupSize: 0, steps: 'many', loss: { kind: 'reinforce' } },
    });
    expect(found).toEqual([
      'seed (line 17) must be at least 0',
      'reinforcement.steps (line 7) must be a number',
      'reinforcement.groupSize (line 12) must be at least 1',
      expect.stringMatching(
        /^reinforcement\.loss\.kind \(line \d+\) must be "ppo" or "importanceSampling" or "cispo" or "gspo"$/,
      ),
      expect.stringMatching(/^grupSize \(line \d+\) is no field of an experiment$/),
    ]);
  });

  it('asks for what is null beside what else is wrong, and knows the presets', () => {
    expect(
      sentences({ ...good, $preset: 'torl-1b', reinforcement: { ...good.reinforcement, groupSize: null } }),
    ).toEqual([
      'reinforcement.groupSize (line 12) is not known: choose a value',
      '$preset (line 14) names no preset (did you mean "torl-7b"?): `retool preset list` names them',
    ]);
    expect(sentences('null')).toEqual(['line 1 must be an object']);
    expect(sentences({ ...good, reinforcement: { ...good.reinforcement, groupSize: 1 } })).toEqual([
      'reinforcement.groupSize (line 12) must be at least 2: a trajectory alone has nothing to be compared with',
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
    [loss({ kind: 'gspo', dualClip: 3 }), /loss\.dualClip .* bounds the loss of ppo, but kind is gspo/],
    [loss({ dualClip: 1.1 }), /loss\.dualClip .* is 1\.1, not above clipHigh \(1\.28\)/],
    [
      loss({ kind: 'gspo', entropyCoefficient: 0.1 }),
      /loss\.entropyCoefficient .* a loss with kind gspo has no entropy/,
    ],
    [loss({ kl: { coefficient: 1 }, entropyCoefficient: 0.1 }), /loss\.entropyCoefficient .* a loss with kl has no/],
    [loss({ aggregation: 'sequenceMeanTokenMean', entropyCoefficient: 0.1 }), /there is no entropy bonus/],
    [
      { malformedCalls: { policy: 'end', message: 'Try again.' } },
      /malformedCalls\.message .* is told by feedBack and maskTurn, but policy is end/,
    ],
    [loss({ aggregationTokens: 9 }), /loss\.aggregationTokens .* but aggregation is tokenMean/],
    [
      { reinforcement: { ...good.reinforcement, groupSize: 4, resampleOnCorrect: 4 } },
      /resampleOnCorrect .* is 4, not below groupSize \(4\)/,
    ],
  ])('refuses fields that contradict each other: %j', (change, sentence) => {
    expect(sentences({ ...good, ...change })).toEqual([expect.stringMatching(sentence)]);
  });

  it('says that a text is nested too deeply, and which field is given twice', () => {
    expect(sentences('['.repeat(200_000))).toEqual([expect.stringMatching(/^line 1 is nested too deeply/)]);
    const text = JSON.stringify(good).replace('{', '{"seed":7,"budgets":{"turns":1,"turns":2},"seed":8,');
    expect(sentences(text)).toEqual([
      expect.stringMatching(/^budgets\.turns \(line 1\) is given twice/),
      expect.stringMatching(/^seed \(line 1\) is given twice/),
    ]);
  });

  it.each(['http://user:secret@127.0.0.1:9/', 'http://127.0.0.1:9/?token=abc'])(
    'takes no secret in the address of a sandbox server: %s',
    (fusionUrl) => {
      const [sentence] = sentences({ ...good, sandbox: { fusionUrl } });
      expect(sentence).toMatch(/^sandbox\.fusionUrl \(line \d+\) must hold no password and no query/);
      expect(sentence).not.toMatch(/secret|abc/);
    },
  );

  it.each(['', '{', '[1', '{"name": }'])('says where %j stops being JSON', (text) => {
    expect(sentences(text)).toEqual([expect.stringMatching(/^line 1 is not JSON: /)]);
  });
});
