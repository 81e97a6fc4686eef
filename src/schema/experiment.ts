import * as z from 'zod';
import { Sha256 } from './hub';
import { ColdStart, mostSteps, Reinforcement } from './learning';
import { Reward } from './reward';
import { Budgets, Calls, MalformedCalls, Observation, ProtocolName } from './rollout';

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
  limit: z
    .int()
    .min(1)
    .optional()
    .describe('Only the first held-out problems, also where an evaluation of the run is asked for later.'),
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
 * One experiment: what a `*.retool.json` file holds. Every default, unit and bound of a run is written here and in the
 * parts that this imports, and nowhere else. Paths are relative to the file.
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
