import * as z from 'zod';

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

/** Most steps of a phase. */
export const mostSteps = 1_000_000;

export const ColdStart = z.strictObject({
  demonstrations: z.string().min(1).describe('JSONL of {id, question, answer, code}, relative to this file.'),
  steps: z.int().min(0).max(mostSteps).describe('Updates.'),
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

export const Reinforcement = z.strictObject({
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
