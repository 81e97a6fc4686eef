import { type Setting, without, withSettings } from './settings';

const why = 'REDUCED';
const small = (path: string, value: Setting['value'], note?: string): Setting => ({
  path,
  value,
  why: note === undefined ? why : `${why}: ${note}`,
  facts: [],
});

/** What the rules of a system need at least on the local trainer, where a byte is a token. */
const sizes = [
  small('service.kind', 'local'),
  small('service.context', 1024),
  small('data.train', 'arithmetic.train.jsonl'),
  small('data.evaluation', 'arithmetic.evaluation.jsonl'),
  small('budgets.turnTokens', 192, 'room for two calls of the wordiest protocol'),
  small('budgets.trajectoryTokens', 1024),
  small('budgets.observationTokens', 448, 'as many characters as a system shows of an output, and its mark'),
  small(
    'coldStart.demonstrations',
    'arithmetic.demonstrations.jsonl',
    'a model that knows nothing first learns to call',
  ),
  small('coldStart.steps', 300),
  small('coldStart.learningRate', 5e-3),
  small('coldStart.warmupSteps', 20),
  small('coldStart.decayFraction', 0.3),
  small('coldStart.finalFraction', 0.1),
];

const reinforcement = [
  small('coldStart.toolShare', 0.6, 'the reinforcement learns when to call'),
  small('reinforcement.steps', 30),
  small('reinforcement.problemsPerStep', 16),
  small('reinforcement.minibatches', 2),
  small('reinforcement.learningRate', 6e-4, 'a small model learns faster'),
  small('checkpoints.keepEvery', 10),
];

const evaluation = [small('evaluation.samplesPerProblem', 1), small('evaluation.limit', 256)];

/** The largest value that the local trainer should be asked for. */
const most: Readonly<Record<string, number>> = {
  'budgets.turns': 6,
  'budgets.calls': 5,
  'reinforcement.groupSize': 8,
  'sandbox.concurrency': 0,
};

/**
 * The rules of a system at the size of the local trainer: its protocol, turns, observations, reward, advantage and loss
 * stay; the model, the data, budgets of tokens and the pace of learning are the example's.
 */
export function reduced(settings: readonly Setting[]): Setting[] {
  const learns = settings.some(({ path, value }) => path === 'reinforcement.steps' && value !== 0);
  const critic = settings.some(({ value }) => value === 'gae');
  const kept = without(settings, /^(service|data)\.|^sandbox\.(fusionUrl|outputBytes)$|\.critic\./);
  const bounded = kept.map((setting): Setting => {
    const bound = most[setting.path];
    const over = bound !== undefined && typeof setting.value === 'number' && setting.value > bound;
    return over ? small(setting.path, bound, `${setting.value} in the source`) : setting;
  });
  const chosen = bounded.map((setting): Setting => {
    if (setting.value !== null) return setting;
    const value = substitutes[setting.path];
    return value === undefined ? setting : small(setting.path, value, 'not known of the source');
  });
  return withSettings(
    chosen.filter(({ value }) => value !== null),
    [
      ...sizes,
      ...(learns ? [...reinforcement, ...evaluation] : evaluation),
      ...(critic
        ? [
            small('reinforcement.advantage', 'centred', 'gae in the source, but no critic can be trained here'),
            small('reinforcement.groupSize', 8, 'without a critic the group is the baseline'),
          ]
        : []),
    ],
  );
}

/** Values for what nobody has said. */
const substitutes: Readonly<Record<string, Setting['value']>> = {
  seed: 1,
  'reinforcement.loss.clipLow': 0.8,
  'reinforcement.loss.clipHigh': 1.2,
};
