import * as z from 'zod';
import { Sha256 } from './hub';

/** A learning rate that rises linearly over `warmupSteps`, stays, and falls linearly over the last part of the phase. */
const Schedule = {
  learningRate: z.number().min(0).max(10).describe('Peak learning rate of Adam. 0 trains nothing.'),
  warmupSteps: z.int().min(0).describe('Updates over which the learning rate rises from 0 to its peak.'),
  decayFraction: z.number().min(0).max(1).describe('Last part of the phase over which the learning rate falls.'),
  finalFraction: z.number().min(0).max(1).describe('Share of the peak learning rate that is left at the end.'),
};

const Adam = {
  beta1: z.number().min(0).lt(1).default(0.9).describe('Decay of the mean of the gradient.'),
  beta2: z.number().min(0).lt(1).default(0.98).describe('Decay of the mean of the squared gradient.'),
  epsilon: z.number().positive().default(1e-8).describe('Added to the root of the squared mean.'),
  gradientClip: z.number().min(0).default(1).describe('Global norm that the gradient is cut to. 0 is off.'),
  weightDecay: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Decoupled decay (AdamW): each update takes this times the learning rate off every weight. 0 is off.'),
};

/** Address of a server; what a run keeps a copy of holds no secret. */
const serverAddress = () =>
  z
    .url({ protocol: /^https?$/ })
    .refine(
      (url) => !/[?#]|\/\/[^/]*@/.test(url),
      'must hold no password and no query, for each run keeps a copy of it',
    );

/** What trains the model. `src/run/experimentRules.ts` says which fields belong to which kind. */
const Service = z
  .strictObject({
    kind: z
      .enum(['local', 'tinker', 'pytrio', 'skyrl', 'verl'])
      .default('local')
      .describe('local is the small transformer that trains on this machine; the others train a base model.'),
    url: serverAddress()
      .optional()
      .describe(
        'Address of a local trainer that runs already, as retool serve offers it; its key comes from RETOOL_SERVICE_KEY. Default: one is started.',
      ),
    baseModel: z.string().min(1).optional().describe('Model that a service other than local starts from.'),
    loraRank: z.int().min(1).max(1024).optional().describe('Rank of the adapter. Default: all weights are trained.'),
    context: z
      .int()
      .min(16)
      .max(1_048_576)
      .default(96)
      .describe(
        'Longest sequence, in tokens. In the local trainer bytes are tokens, 2048 at most; with url, what the server has.',
      ),
    layers: z.int().min(1).max(12).default(2).describe('Transformer blocks.'),
    width: z.int().min(16).max(512).multipleOf(16).default(64).describe('Size of the residual stream.'),
    heads: z.int().min(1).max(16).default(4).describe('Attention heads. Must divide the width into multiples of 4.'),
    threads: z
      .int()
      .min(0)
      .max(16)
      .default(0)
      .describe('Threads of a trainer that is started. 0 takes 2 where there are 2 cores.'),
  })
  .refine(({ width, heads }) => width % (heads * 4) === 0, {
    path: ['heads'],
    message: 'width divided by heads must be a multiple of 4',
  })
  .prefault({});

const Budgets = z.strictObject({
  turns: z.int().min(1).max(1024).default(3).describe('Turns of the model per trajectory.'),
  calls: z.int().min(0).max(1024).default(2).describe('Code executions per trajectory.'),
  turnTokens: z.int().min(1).default(48).describe('Tokens the model may write in one turn.'),
  trajectoryTokens: z.int().min(8).default(96).describe('Tokens of a whole trajectory, prompt and output included.'),
  observationTokens: z.int().min(1).default(24).describe('Tokens of one output that the model is shown.'),
  beyondCalls: z
    .enum(['end', 'continueInText'])
    .default('end')
    .describe('A call beyond the budget ends the trajectory, or is text like any other.'),
});

const MalformedCalls = z.strictObject({
  policy: z
    .enum(['end', 'feedBack', 'maskTurn', 'penalise', 'asAnswer'])
    .default('end')
    .describe(
      'What follows a call that cannot be read: the end, a word about it, that word and no training on the turn, the end with less reward, or the turn is graded as an answer.',
    ),
  retries: z.int().min(1).max(64).default(1).describe('How often a trajectory is told; then it ends.'),
  penalty: z.number().min(0).max(10).default(0.1).describe('Taken off the reward by the policy penalise.'),
  message: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('What the model is told by feedBack and maskTurn. Default: what is wrong with its call.'),
});

/** How a model asks for code and gets its output; `src/protocols/protocols.ts` says what each is. */
export const ProtocolName = z.enum([
  'compact',
  'retool-code',
  'torl-fences',
  'python-result',
  'qwen3-json',
  'qwen3.5-xml',
]);
export type ProtocolName = z.infer<typeof ProtocolName>;

/** How code is read before it runs, and what of its output the model is shown. */
const Observation = z.strictObject({
  errors: z
    .enum(['streams', 'lastLine', 'lastLineIfError', 'stderrOnly', 'labelled'])
    .optional()
    .describe(
      "What is shown: stdout and stderr as they are; the last line of an error alone; stdout, of which the last line if it says Error; stderr alone after an error; or both under headings. Default: the protocol's own form.",
    ),
  empty: z.string().max(1000).optional().describe('Shown where the code printed nothing. Default: None.'),
  timeout: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe("Shown instead of what was printed when time ran out. Default: the form's own."),
  characters: z
    .int()
    .min(16)
    .optional()
    .describe('Characters of an output that are shown; budgets.observationTokens holds besides.'),
  keep: z
    .enum(['headAndTail', 'head', 'tail'])
    .optional()
    .describe(
      'Part of a long output that is kept, by characters and by tokens. Default: headAndTail with characters; else the first tokens, without a mark.',
    ),
  marker: z
    .string()
    .max(200)
    .default('...')
    .describe('Stands where characters are left out, beside those that are kept. {count} becomes their number.'),
  tokenMarker: z
    .string()
    .max(200)
    .default('...')
    .describe('Stands where tokens are left out, and is one of budgets.observationTokens itself.'),
  lastExpression: z
    .enum(['value', 'off', 'printLastLine', 'whenSilent'])
    .default('value')
    .describe(
      'Whether the value of a last expression is printed; never; the last line is put into print(), whatever it is; or, where nothing was printed, all but the last line runs again and that is evaluated.',
    ),
  unfence: z
    .enum(['surrounding', 'firstPython', 'off'])
    .default('surrounding')
    .describe('Fence that is taken off code: one around all of it; the first ```python block anywhere; or none.'),
});

/** What a turn may hold beside one call. Without a value each protocol keeps the rule of the system it comes from. */
const Calls = z.strictObject({
  several: z
    .enum(['first', 'last', 'malformed'])
    .optional()
    .describe(
      'Which of several calls is run, or that the turn is malformed. Default: qwen3-json the first, torl-fences the last, qwen3.5-xml malformed; with the others a call ends its turn.',
    ),
  withAnswer: z
    .enum(['call', 'answer'])
    .optional()
    .describe('What counts in a turn with a call and a box outside of it. Default: the call.'),
  textAfter: z
    .enum(['kept', 'malformed'])
    .optional()
    .describe(
      'Text behind a call is let be, or makes the turn malformed. Default: qwen3-json kept, qwen3.5-xml malformed; with the others a call ends its turn.',
    ),
});

const ColdStart = z.strictObject({
  demonstrations: z.string().min(1).describe('JSONL of {id, question, answer, code}, relative to this file.'),
  steps: z.int().min(0).max(1_000_000).describe('Updates.'),
  batchSize: z.int().min(1).max(4096).default(32).describe('Demonstrations per update.'),
  toolShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.45)
    .describe('Share of demonstrations that call the tool; the others answer at once.'),
  ...Schedule,
  ...Adam,
  learningRate: Schedule.learningRate.default(5e-3),
  warmupSteps: Schedule.warmupSteps.default(20),
  decayFraction: Schedule.decayFraction.default(0.3),
  finalFraction: Schedule.finalFraction.default(0.1),
  checkpointEvery: z.int().min(1).default(50).describe('Updates between two checkpoints of the cold start.'),
});

/** A penalty of the distance from the policy at the start of the reinforcement, per token. */
const KlPenalty = z
  .strictObject({
    coefficient: z.number().positive().describe('Weight of the penalty.'),
    estimator: z
      .enum(['k1', 'k2', 'k3'])
      .default('k3')
      .describe('k3 is never negative; k2 is half the square; the gradient of k1 does not depend on the reference.'),
  })
  .describe('Penalty of the distance from the policy at the start of the reinforcement.');

/** Weighs what was sampled by the trainer's probability of it over the sampler's. */
const ImportanceCorrection = z
  .strictObject({
    level: z
      .enum(['token', 'sequence', 'geometric'])
      .default('token')
      .describe('Ratio of a token; of the whole trajectory; or the geometric mean over its tokens.'),
    mode: z
      .enum(['truncate', 'mask'])
      .default('truncate')
      .describe('A ratio above `high` becomes `high`; or one outside `low`..`high` becomes 0.'),
    low: z.number().min(0).max(1).default(0.5).describe('Smallest ratio that `mask` keeps.'),
    high: z.number().min(1).default(2).describe('Largest ratio.'),
  })
  .describe('Corrects for a sampler that computes other probabilities than the trainer.');

const Loss = z.strictObject({
  kind: z
    .enum(['ppo', 'importanceSampling', 'cispo', 'gspo'])
    .default('ppo')
    .describe('Policy loss, per token; gspo takes the ratio of the whole trajectory.'),
  clipLow: z.number().min(0).max(1).default(0.8).describe('Lower bound of the probability ratio (1 − ε).'),
  clipHigh: z.number().min(1).default(1.28).describe('Upper bound of the probability ratio (1 + ε).'),
  dualClip: z
    .number()
    .gt(1)
    .optional()
    .describe('Bound c of the ratio where the advantage is negative, for ppo. Default: none.'),
  entropyCoefficient: z.number().min(0).default(0).describe('Weight of the entropy bonus. 0 is off.'),
  kl: KlPenalty.optional(),
  importanceCorrection: ImportanceCorrection.optional(),
  aggregation: z
    .enum(['tokenMean', 'sequenceMeanTokenSum', 'sequenceMeanTokenMean', 'sequenceMeanTokenSumNorm', 'tokenSum'])
    .default('tokenMean')
    .describe(
      'What an update takes of the losses of its tokens. sequenceMeanTokenSumNorm: their sum over aggregationTokens.',
    ),
  aggregationTokens: z
    .int()
    .min(1)
    .optional()
    .describe('T of sequenceMeanTokenSumNorm. Default: budgets.trajectoryTokens.'),
  meanOver: z
    .enum(['trained', 'sampled'])
    .default('trained')
    .describe('Whether a mean counts what is trained on, or also what was sampled and dropped.'),
});

/** What `gae` needs (PPO, arXiv:1707.06347, with arXiv:1506.02438). */
const Critic = z
  .strictObject({
    gamma: z.number().min(0).max(1).default(1).describe('Discount per token.'),
    lambda: z.number().min(0).max(1).default(1).describe('Weight of longer returns.'),
    learningRate: z.number().min(0).max(10).describe('Learning rate of the critic.'),
    warmupSteps: z.int().min(0).default(0).describe('Steps in which the critic alone learns.'),
  })
  .describe('The critic of gae. No service that can be reached trains one.');

/** Groups without a signal are replaced by fresh problems (DAPO, arXiv:2503.14476, section 3.2). */
const DynamicSampling = z
  .strictObject({
    maxBatches: z.int().min(1).max(100).default(10).describe('Times that a step asks for problems at most.'),
    overSampling: z.number().min(1).max(16).default(1).describe('Problems asked for, per group that is missing.'),
  })
  .describe('Replaces groups without a signal by fresh problems.');

/** Most steps of a phase. */
export const mostSteps = 1_000_000;

const Reinforcement = z.strictObject({
  steps: z.int().min(0).max(mostSteps).describe('Steps: sample, run code, grade, update.'),
  problemsPerStep: z.int().min(1).max(16_384).default(32).describe('Problems drawn per step.'),
  groupSize: z
    .int()
    .min(1)
    .max(1024)
    .default(8)
    .describe('Trajectories per problem, G. Their mean reward is the baseline; gae alone needs no more than 1.'),
  minibatches: z.int().min(1).default(2).describe('Updates per step; the trajectories are divided among them.'),
  advantage: z
    .enum(['centred', 'standardised', 'leaveOneOut', 'gae'])
    .default('centred')
    .describe(
      'Reward minus the mean of its group; that over the standard deviation; minus the mean of the others; or by a critic.',
    ),
  critic: Critic.optional(),
  advantageEpsilon: z.number().min(0).default(1e-6).describe('Added to the standard deviation of `standardised`.'),
  outcomeGate: z
    .boolean()
    .default(false)
    .describe('Drops groups without a correct answer: shaped rewards alone would move the policy there.'),
  maskVoidTurns: z
    .boolean()
    .default(false)
    .describe('Trains on no trajectory that has a turn with neither a call nor a box (SimpleTIR).'),
  resampleOnCorrect: z
    .int()
    .min(2)
    .optional()
    .describe(
      'Trajectories of a group that are kept: of the correct ones those with the fewest failed calls (rStar2).',
    ),
  dynamicSampling: DynamicSampling.optional(),
  loss: Loss.prefault({}),
  ...Schedule,
  ...Adam,
  learningRate: Schedule.learningRate.default(6e-4),
  warmupSteps: Schedule.warmupSteps.default(3),
  decayFraction: Schedule.decayFraction.default(1),
  finalFraction: Schedule.finalFraction.default(0.3),
  temperature: z.literal(1).default(1).describe('1 only: log-probabilities must be those of the sampled distribution.'),
  concurrency: z.int().min(1).max(4096).default(256).describe('Trajectories in flight at once.'),
});

/** Names of the reward rules; `src/grading/rewardRules.ts` says what each does. */
export const RewardRuleName = z.enum([
  'boxed-rational',
  'last-box-math',
  'box-300-math',
  'dapo-strict-box-100-eq',
  'retool-eval',
  'torl',
  'torl-execution-penalty',
  'torl-format',
  'verl-retool',
  'verl-retool-cap-0',
  'slime-retool',
  'dapo-overlong',
  'tinker-format',
]);
export type RewardRuleName = z.infer<typeof RewardRuleName>;

/** Something that a reward rule adds to the reward of an answer. */
export const RewardAdjustment = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('toolShaping').describe('A wrong answer loses less the more tools were called.'),
    count: z
      .enum(['verl', 'slime'])
      .default('verl')
      .describe('verl counts turns, 2k+2 for k calls; slime counts calls.'),
    cap: z.number().default(-0.6).describe('Most that a shaped reward may be.'),
  }),
  z.strictObject({
    kind: z.literal('executionPenalty').describe('Taken off when the last execution failed.'),
    amount: z.number().min(0).default(0.5).describe('How much.'),
    withoutCode: z.boolean().default(false).describe('Also taken off when no code was run, as ToRL does.'),
  }),
  z.strictObject({
    kind: z.literal('overlong').describe("DAPO's penalty of long answers."),
    limit: z.int().min(1).default(20_480).describe('Tokens after the prompt at which the penalty is whole.'),
    buffer: z.int().min(1).default(4096).describe('Tokens before the limit over which it rises.'),
    factor: z.number().min(0).default(1).describe('The whole penalty.'),
  }),
  z.strictObject({
    kind: z.literal('format').describe('Added according to whether there is a box.'),
    boxed: z.number().default(0).describe('Added to a wrong answer in a box.'),
    missing: z.number().default(-0.1).describe('Added where there is no box.'),
  }),
]);
export type RewardAdjustment = z.infer<typeof RewardAdjustment>;

const Reward = z.strictObject({
  rule: RewardRuleName.default('boxed-rational').describe('How an answer is found, compared and paid.'),
  correct: z.number().optional().describe("Reward of a right answer. Default: the rule's own, which is 1."),
  incorrect: z
    .number()
    .optional()
    .describe("Reward of anything else. Default: the rule's own, which is -1, or 0 under tinker-format."),
  adjustments: z.array(RewardAdjustment).default([]).describe('What is added to the rule, in this order.'),
});

const SandboxLimits = z.strictObject({
  python: z.string().min(1).optional().describe('Interpreter. Default: the python3 on the PATH.'),
  fusionUrl: serverAddress()
    .optional()
    .describe('Address of a SandboxFusion server that runs the code instead of this machine.'),
  wallSeconds: z.number().positive().max(3600).default(10).describe('Wall clock limit of one execution.'),
  cpuSeconds: z.int().min(1).max(3600).default(5).describe('CPU limit of one execution.'),
  outputBytes: z
    .int()
    .min(64)
    .max(16_777_216)
    .default(65_536)
    .describe('Output that is kept; head and tail of longer ones.'),
  concurrency: z.int().min(0).max(256).default(0).describe('Executions at once. 0 follows the number of cores.'),
});

const Evaluation = z.strictObject({
  samplesPerProblem: z.int().min(1).max(1024).default(1).describe('Trajectories per problem, n.'),
  temperature: z.number().min(0).default(1).describe('Sampling temperature. 0 is greedy.'),
  topP: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe('Probability that the likeliest tokens sampled from add up to. 1 is off.'),
  topK: z.int().min(1).optional().describe('How many of the likeliest tokens are sampled from. Default: all.'),
  limit: z.int().min(1).optional().describe('Only the first problems of the file.'),
  everyCheckpoints: z
    .int()
    .min(0)
    .max(mostSteps)
    .default(0)
    .describe(
      'Evaluates at every so many of the checkpoints that checkpoints.keepEvery keeps, while the run goes on. 0 is off.',
    ),
  budgetShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.25)
    .describe(
      'Most tokens of these evaluations, as a share of what the reinforcement has sampled. One beyond is left out.',
    ),
});

const Checkpoints = z.strictObject({
  keepLast: z.int().min(1).default(2).describe('Newest checkpoints that are kept.'),
  keepEvery: z.int().min(0).default(20).describe('Every N-th step is kept for good. 0 keeps none.'),
});

const price = () => z.number().min(0).max(1_000_000);

/** What a run is expected to be like and may cost, for the plan that is made before it starts. */
const PlanSettings = z.strictObject({
  expectedAccuracy: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Share of right answers to reckon with. Default: that of an earlier run, else 0.3.'),
  responseTokens: z
    .number()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Tokens that the model writes per trajectory, all turns together.'),
  callsPerTrajectory: z.number().min(0).max(10_000).optional().describe('Code executions per trajectory.'),
  prices: z
    .strictObject({
      prefill: price().describe('Price of a million prompt tokens.'),
      cachedPrefill: price().optional().describe('Of those that the service has kept. Default: prefill.'),
      sample: price().describe('Price of a million sampled tokens.'),
      train: price().describe('Price of a million tokens of training, prompts and output included.'),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be three capital letters, for example CNY')
        .describe('For example CNY or USD.'),
    })
    .optional()
    .describe('Prices of the service, per million tokens.'),
  cap: z
    .number()
    .positive()
    .max(1_000_000_000)
    .optional()
    .describe('Money: a run whose plan comes to more is refused before anything is spent. Needs prices.'),
});

/**
 * One experiment: what a `*.retool.json` file holds. Every default, unit and bound of a run is written here and nowhere
 * else. Paths are relative to the file.
 */
export const Experiment = z.strictObject({
  $schema: z.string().optional(),
  $preset: z.string().optional().describe('The published system that it began as: what differs from it can be shown.'),
  name: z
    .string()
    .regex(
      /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u,
      'may hold letters, digits, spaces, dots and dashes only, at most 80, and begins with a letter or digit',
    )
    .describe('Name of the experiment and of its runs.'),
  description: z.string().optional().describe('What it is for, in a sentence.'),
  seed: z.int().min(0).max(2_147_483_647).default(1).describe('Every random choice derives from it.'),
  service: Service,
  protocol: ProtocolName.default('compact').describe('How the model asks for code and gets its output.'),
  data: z
    .strictObject({
      train: z
        .string()
        .min(1)
        .describe(
          'Problems to learn from: JSONL of {id, question, answer, kind}, or a set of another shape; JSONL or Parquet. A path, or hub:OWNER/NAME[@REVISION][/PATH].',
        ),
      evaluation: z.string().min(1).optional().describe('Held-out problems, measured before and after. As data.train.'),
      holdOut: z
        .int()
        .min(1)
        .max(100_000)
        .optional()
        .describe('Instead of data.evaluation: how many problems of data.train are held out, the same for every seed.'),
      deduplicate: z
        .boolean()
        .default(true)
        .describe(
          'Whether a question that is repeated is asked once. Questions with different answers are never asked.',
        ),
    })
    .describe('Problem files.'),
  pins: z
    .record(z.string(), Sha256)
    .optional()
    .describe(
      'SHA-256 of each file of a hub, by its name as above: another one is refused. `retool fetch` tells them.',
    ),
  budgets: Budgets.prefault({}),
  malformedCalls: MalformedCalls.prefault({}),
  calls: Calls.prefault({}).describe('What a turn may hold beside one call.'),
  observation: Observation.prefault({}).describe('How code is read, and what of its output the model is shown.'),
  coldStart: ColdStart.optional().describe('Imitation of demonstrations before the reinforcement. Optional.'),
  reinforcement: Reinforcement.describe('Learning from outcome rewards.'),
  reward: Reward.prefault({}),
  sandbox: SandboxLimits.prefault({}),
  evaluation: Evaluation.prefault({}),
  checkpoints: Checkpoints.prefault({}),
  plan: PlanSettings.optional().describe('What to reckon with before the run, and what it may cost. Optional.'),
});
export type Experiment = z.infer<typeof Experiment>;

/** Of a service, per million tokens. */
export type Prices = NonNullable<NonNullable<Experiment['plan']>['prices']>;

/** What a run keeps of its experiment: the values in force and where its files lay. */
export const FrozenExperiment = z.looseObject({
  experiment: Experiment,
  folder: z.string().describe('Absolute folder that paths in the experiment are relative to.'),
  files: z.record(z.string(), z.string()).describe('SHA-256 of each data file, by its path in the experiment.'),
});
export type FrozenExperiment = z.infer<typeof FrozenExperiment>;
