import * as z from 'zod';

/** A question with its gold answer, as a problem file holds it: one JSON object a line. */
export const Problem = z.object({
  id: z.string().min(1).describe('Unique within its file.'),
  question: z.string().min(1),
  answer: z.string().min(1).describe('Gold answer.'),
  kind: z.string().min(1).optional().describe('Group for metrics, for example "hard" or "story".'),
});
export type Problem = z.infer<typeof Problem>;

/** A problem with the code that solves it: what the cold start imitates. */
export const Demonstration = Problem.extend({
  code: z.string().min(1).describe('Python whose output is the answer.'),
});
export type Demonstration = z.infer<typeof Demonstration>;

/** How an execution ended. `infrastructure`: the sandbox failed, not the code. */
export const ToolStatus = z.enum(['ok', 'error', 'timeout', 'outputLimit', 'memoryLimit', 'killed', 'infrastructure']);
export type ToolStatus = z.infer<typeof ToolStatus>;

/** What the sandbox says of one execution. */
export const ToolResult = z.object({
  status: ToolStatus,
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  seconds: z.number().describe('Wall clock from the start of the process.'),
  queueSeconds: z.number().describe('Waiting for a free slot.'),
  cpuSeconds: z.number(),
  peakMemoryBytes: z.int(),
  truncated: z.boolean().describe('Output was longer than the limit.'),
  level: z.string().describe('Isolation level that held.'),
});
export type ToolResult = z.infer<typeof ToolResult>;

/**
 * Why a trajectory ended.
 *
 * - `answered`: the model ended its turn without calling a tool.
 * - `turnLimit`, `callLimit`: one turn or call more than the budget allows was due.
 * - `turnTokens`: a turn was cut by its own token budget.
 * - `trajectoryTokens`: the trajectory's budget, or the context, had no room for more.
 * - `malformedCall`: a call that the protocol cannot read.
 * - `contentFilter`: a filter of the service withheld what the model said; counted apart, neither right nor wrong.
 * - `infrastructure`: the sandbox or the service failed; excluded from reward and from training.
 */
export const StopReason = z.enum([
  'answered',
  'turnLimit',
  'callLimit',
  'turnTokens',
  'trajectoryTokens',
  'malformedCall',
  'contentFilter',
  'infrastructure',
]);
export type StopReason = z.infer<typeof StopReason>;

/**
 * What was unusual about a turn's call.
 *
 * - `repaired`: line breaks stood bare in a JSON string.
 * - `severalCalls`: more than one call in the turn.
 * - `textAfterCall`, `answerWithCall`: the turn goes on after its call; it holds a box besides.
 * - `extraParameters`: parameters besides the code.
 * - `unknownTool`: a tool that there is not. `unbalanced`: a call that does not end where it should.
 * - `mention`: the marker of a call that is only spoken of.
 * - `malformed`: a call that cannot be read and after which the trajectory went on, or that was graded as an answer; where
 *   it ended the trajectory, its stop reason says so.
 * - `beyondBudget`: a call that was read as text, for the calls were used up.
 */
export const Irregularity = z.enum([
  'repaired',
  'severalCalls',
  'textAfterCall',
  'answerWithCall',
  'extraParameters',
  'unknownTool',
  'unbalanced',
  'mention',
  'malformed',
  'beyondBudget',
]);
export type Irregularity = z.infer<typeof Irregularity>;

/** One sampled turn and what followed it. */
export const Turn = z.object({
  tokens: z.array(z.int()).describe('Sampled ids, as the sampler returned them.'),
  logprobs: z.array(z.number()).describe('One per sampled id, nats, at most 0.'),
  text: z.string().describe('The sampled ids as text, for reading only.'),
  code: z.string().optional().describe('The call, when the turn made one.'),
  result: ToolResult.optional(),
  observation: z.string().optional().describe('What the model was shown of the result.'),
  irregular: z.array(Irregularity).optional().describe('What was unusual about its call.'),
  masked: z.boolean().optional().describe('The turn is not trained on.'),
  added: z.array(z.int()).describe('Ids appended after the turn: closing, observation, next header. Never trained on.'),
  seconds: z.number().describe('Sampling, wall clock.'),
  counts: z
    .object({ sampled: z.int().min(0), added: z.int().min(0) })
    .optional()
    .describe('How many ids `tokens` and `added` would hold, where the service counts them and tells none.'),
  continues: z.literal(true).optional().describe('A further call of the message with which the turn before began.'),
});
export type Turn = z.infer<typeof Turn>;

/** Tokens that the model sampled in a turn; that were added after it; and, of a trajectory, those of its prompt. */
export const sampledIn = ({ tokens, counts }: Turn): number => counts?.sampled ?? tokens.length;
export const addedIn = ({ added, counts }: Turn): number => counts?.added ?? added.length;
export const promptIn = ({ prompt, promptTokens }: Trajectory): number => promptTokens ?? prompt.length;
/** All of them. */
export const tokensIn = (trajectory: Trajectory): number =>
  trajectory.turns.reduce((sum, turn) => sum + sampledIn(turn) + addedIn(turn), promptIn(trajectory));
/** Messages of the model: one may make several calls. */
export const messagesIn = ({ turns }: Trajectory): number => turns.filter(({ continues }) => !continues).length;

/**
 * Signs of a reward that was not earned.
 *
 * - `severalBoxes`: the last turn holds boxes with different content.
 * - `copiedBox`: the code printed the box that the answer repeats.
 * - `unsupported`: the answer appears nowhere but in the box.
 */
export const GradeFlag = z.enum(['severalBoxes', 'copiedBox', 'unsupported']);
export type GradeFlag = z.infer<typeof GradeFlag>;

/** What a reward rule says of a trajectory. `unknown`: the rule could not understand one of the sides. */
export const Grade = z.object({
  reward: z.number(),
  verdict: z.enum(['correct', 'incorrect', 'unknown']),
  formatted: z.boolean().describe('A box was found where the rule looks for one.'),
  predicted: z.string().nullable().describe('Content of the box that was graded.'),
  reason: z.string().describe('Why, in one sentence.'),
  read: z.object({ gold: z.string(), predicted: z.string() }).optional().describe('What each side was read as.'),
  parts: z
    .array(z.object({ name: z.string(), reward: z.number() }))
    .optional()
    .describe('What the reward is the sum of, where it is more than the answer.'),
  flags: z.array(GradeFlag).optional().describe('Signs of a reward that was not earned.'),
});
export type Grade = z.infer<typeof Grade>;

/** The record of one rollout. Its tokens are `prompt`, then per turn `tokens` and `added`; only `tokens` are trained on. */
export const Trajectory = z.object({
  step: z.int(),
  problemId: z.string(),
  branch: z.int().describe('0..G-1 within the group.'),
  kind: z.string().optional(),
  question: z.string(),
  gold: z.string(),
  prompt: z.array(z.int()),
  promptTokens: z.int().min(0).optional().describe('How many, where the service counts them and tells none.'),
  turns: z.array(Turn),
  stop: StopReason,
  failure: z.string().optional().describe('What failed, when `stop` is `infrastructure`.'),
  grade: Grade,
  advantage: z.number(),
  leftOut: z
    .enum(['voidTurn', 'resampled'])
    .optional()
    .describe('Why it is not trained on: a turn with neither call nor box, or a cleaner one was kept.'),
  imported: z
    .object({ turns: z.int(), calls: z.int() })
    .optional()
    .describe('What a file of results counts that holds the last text alone: the only turn, graded as the file says.'),
});
export type Trajectory = z.infer<typeof Trajectory>;

/** What in a run has trajectories: a step of the reinforcement, or an evaluation by its id. */
export const RolloutPlace = z.union([
  z.object({ step: z.int().min(0) }).readonly(),
  z.object({ evaluation: z.string().regex(/^[\w.-]+$/) }).readonly(),
]);
export type RolloutPlace = z.infer<typeof RolloutPlace>;
